// Values of a row go to places of it that data name: a warp each row, the places in shared memory.
export fn bins_rows(g: f32[M, P], at: i64[M, P]) -> (y: f16[M, V]) {
    assume -3 <= at[m, p] && at[m, p] < V + 5;
    y[m, v] = sum[p where at[m, p] == v](g[m, p]) * 0.5;
}
check bins_rows(M = 5, P = 300, V = 300);
check bins_rows(M = 3, P = 1, V = 257);
check bins_rows(M = 2, P = 1000, V = 3);
check bins_rows(M = 1, P = 0, V = 700);
check bins_rows(M = 0, P = 10, V = 10);
