// Adds rows into the rows of a table that their indices name, in any order.
option atomics = fast;
export fn scatter_rows_fast(t: f32[V, 64], e: bf16[N, 64], ids: i64[N]) -> (g: f32[V, 64]) {
    assume 0 <= ids[n] && ids[n] < V;
    g[i, d] = t[i, d] + sum[n where ids[n] == i](e[n, d]);
}

check scatter_rows_fast(V = 3, N = 1);
check scatter_rows_fast(V = 37, N = 101);
check scatter_rows_fast(V = 5, N = 0);
bench scatter_rows_fast(V = 1024, N = 8192);
