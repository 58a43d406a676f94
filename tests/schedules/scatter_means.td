// The same of counts beside sums, under a condition.
export fn means(x: f32[M, P, Q], k: i32[M, P, Q], w: bool[M, P, Q]) -> (y: f32[M, V], n: i32[M, V]) {
    n[m, v] = sum[p, q where i64(k[m, p, q]) == v && w[m, p, q]](1);
    y[m, v] = sum[p, q where i64(k[m, p, q]) == v && w[m, p, q]](x[m, p, q]) / f32(max(n[m, v], 1));
}
check means(M = 3, P = 9, Q = 11, V = 13) with k in -1..15;
check means(M = 1, P = 3, Q = 40, V = 260) with k in 0..260;
check means(M = 2, P = 5, Q = 0, V = 3);
