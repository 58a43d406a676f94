// A loop from data to data: each thread runs only the iterations that have elements of its own.
export fn segments(x: f32[T, D], off: i32[B + 1]) -> (total: f32[B, D], top: f32[B, D]) {
    assume 0 <= off[b] && off[b] <= T;
    total[b, d] = sum[t in off[b]..off[b + 1]](x[t, d]);
    top[b, d] = max[t in off[b]..off[b + 1]](x[t, d]);
}
check segments(T = 37, D = 5, B = 6);
check segments(T = 1, D = 1, B = 1);
check segments(T = 0, D = 3, B = 2);
