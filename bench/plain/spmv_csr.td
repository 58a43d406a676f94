// A sparse matrix in compressed rows times a vector.
export fn spmv_csr(val: f32[E], col: i32[E], row: i64[N + 1], x: f32[V]) -> (y: f32[N]) {
    assume 0 <= col[e] && col[e] < V;
    assume 0 <= row[n] && row[n] <= E;
    assume row[n] <= row[n + 1];
    y[n] = sum[e in row[n]..row[n + 1]](val[e] * x[col[e]]);
}
check spmv_csr(E = 501, N = 37, V = 41);
bench spmv_csr(E = 12000000, N = 500003, V = 400000);
