// Adds rows into the rows of a table that their indices name.
export fn scatter_rows(t: f32[V, 64], e: bf16[N, 64], ids: i64[N]) -> (g: f32[V, 64]) {
    assume 0 <= ids[n] && ids[n] < V;
    g[i, d] = t[i, d] + sum[n where ids[n] == i](e[n, d]);
}

check scatter_rows(V = 3, N = 1);
check scatter_rows(V = 37, N = 101);
check scatter_rows(V = 5, N = 0);
bench scatter_rows(V = 1024, N = 8192);
