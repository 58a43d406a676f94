// One row, that is divided into shares.
export fn least(x: f32[T], k: u8[T]) -> (y: f32[256], n: i64[256]) {
    y[v] = min[t where i64(k[t]) == v](x[t]);
    n[v] = sum[t where i64(k[t]) == v](i64(1));
}
check least(T = 700) with k in 0..256;
check least(T = 0);
