// A table with the rows that indices name replaced; of two with one index the last one.
export fn copied_rows(t: f32[V, D], e: f32[N, D], ids: i64[N]) -> (y: f32[V, D]) {
    assume 0 <= ids[n] && ids[n] < V;
    y[i, d] = t[i, d];
    y[ids[n], d] = e[n, d];
}

check copied_rows(V = 37, N = 101, D = 24);
check copied_rows(V = 300, N = 1, D = 1);
check copied_rows(V = 5, N = 0, D = 8);
bench copied_rows(V = 50304, N = 8192, D = 256);
