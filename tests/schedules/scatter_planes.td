// Values that go to places of their row that data name, in bins, whoever comes first.
export fn planes(g: f32[N, C, P], at: i64[N, C, P]) -> (y: f16[N, C, V]) {
    y[n, c, v] = 0.5 * sum[p where at[n, c, p] == v](g[n, c, p]);
}
check planes(N = 2, C = 3, P = 70, V = 90) with at in -2..95;
check planes(N = 1, C = 1, P = 300, V = 5) with at in 0..5;
check planes(N = 3, C = 2, P = 0, V = 7);
check planes(N = 2, C = 1, P = 1, V = 1) with at in 0..1;
check planes(N = 0, C = 4, P = 9, V = 3) with at in 0..3;
