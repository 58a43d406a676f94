// Adagrad on the rows of a table that a batch touched, several times perhaps.
export fn sparse_adagrad(inout table: f32[V, D], inout h: f32[V, D], ids: i32[N], g: bf16[N, D], lr: f32) -> (size: f32[]) {
    assume 0 <= ids[n] && ids[n] < V;
    h[ids[n], d] += g[n, d] ** 2;
    table[ids[n], d] += -lr * g[n, d] / sqrt(new(h)[ids[n], d] + 1e-6);
    size[] = sqrt(sum[n, d](g[n, d] ** 2));
}
check sparse_adagrad(V = 41, D = 13, N = 37, lr = 0.1) with h in 0.0..1.0;
bench sparse_adagrad(V = 100000, D = 64, N = 50001, lr = 0.1) with h in 0.0..1.0;
