// Functions that update what their callers hand them, and pieces of inouts whose new values are read.
dim M in 1..=100;
fn sgd<T>(inout w: T[N...], g: T[N...], lr: f32) {
    w[n...] = w[n...] - lr * g[n...];
}
fn batch_norm(x: f32[M, N], inout mean_run: f32[N], momentum: f32) -> (y: f32[M, N]) {
    let mu[j] = mean[i](x[i, j]);
    y[i, j] = x[i, j] - mu[j];
    mean_run[j] = mean_run[j] * (1 - momentum) + mu[j] * momentum;
}
fn both(inout w: f32[N], inout v: f32[N], g: f32[N]) -> (s: f32[]) {
    sgd(w, g, 0.1);
    sgd(v, g, lr = 0.2);
    s[] = sum[i](new(w)[i] * w[i]);
}
export fn train(inout a: f32[N], inout b: f32[N], inout c: bf16[M, N], g: f32[N], h: bf16[M, N], lr: f32) -> (s: f32[], t: f32[N]) {
    s = both(a, b, g);
    sgd(c, h, lr);
    t[i] = new(a)[i] + new(b)[i] + sum[m](new(c)[m, i]);
}
export fn net(x: f32[M, N], inout r: f32[N], inout q: f32[N]) -> (y: f32[M, N]) {
    y = batch_norm(batch_norm(x, r, 0.1), q, momentum = 0.3);
}
export fn parts(inout x: f32[N, M], y: f32[N], z: f32[N, K], w: f32[K, M]) -> (s: f32[N]) {
    x[i, 0] = y[i];
    x[i, j in 1..M] += sum[k](z[i, k] * w[k, j]) where i % 2 == 0;
    s[i] = sum[j](new(x)[i, j]);
}
export fn strided(inout x: f32[2*N], y: f32[N]) -> (s: f32[2*N]) {
    x[2*i + 1] = y[i];
    s[i] = new(x)[i] + x[i];
}
export fn whole(inout c: f32[M, N], x: f32[M, N]) -> (d: f32[M, N]) {
    c += double(x);
    d += double(x);
}
fn double(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = 2 * x[i, j]; }
