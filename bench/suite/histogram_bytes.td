// How often each byte occurs.
export fn histogram_bytes(x: u8[T]) -> (n: i64[256]) { n[i] = sum[t where i64(x[t]) == i](1); }

check histogram_bytes(T = 1001);
check histogram_bytes(T = 1);
check histogram_bytes(T = 0);
bench histogram_bytes(T = 268435456);
