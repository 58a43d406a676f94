// Sparse rows of a table with one sum of squares a row: gradients that meet one row are taken one after the other in sum.
export fn rowwise_adagrad(inout w: f32[V, D], inout h: f32[V], ids: i32[N], g: f32[N, D], lr: f32) {
    assume 0 <= ids[n] && ids[n] < V;
    h[ids[n]] += mean[d](g[n, d] ** 2);
    w[ids[n], d] += -lr * g[n, d] / (sqrt(new(h)[ids[n]]) + 1e-8);
}
check rowwise_adagrad(V = 41, D = 19, N = 67, lr = 0.05) with h in 0.0..1.0;
bench rowwise_adagrad(V = 200000, D = 64, N = 65536, lr = 0.05) with h in 0.0..1.0;
