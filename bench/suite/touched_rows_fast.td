// Adds rows into those of a table that their indices name, in place and in any order: few of its rows are touched.
option atomics = fast;
export fn touched_rows_fast(inout w: f32[V, D], e: f32[N, D], ids: i64[N]) {
    assume 0 <= ids[n] && ids[n] < V;
    w[ids[n], d] += e[n, d];
}

check touched_rows_fast(V = 37, N = 101, D = 24);
check touched_rows_fast(V = 300, N = 1, D = 1);
check touched_rows_fast(V = 5, N = 0, D = 8);
bench touched_rows_fast(V = 50304, N = 4096, D = 768);
