// Adan: moments of the gradient and of how it changes; the gradient is kept for the next step.
export fn adan_step(inout p: bf16[N], inout m: f32[N], inout d: f32[N], inout v: f32[N], inout prev: bf16[N], g: bf16[N], lr: f32) {
    let c[i] = g[i] - prev[i];
    m[i] = 0.98 * m[i] + 0.02 * g[i];
    d[i] = 0.92 * d[i] + 0.08 * c[i];
    v[i] = 0.99 * v[i] + 0.01 * (g[i] + 0.92 * c[i]) ** 2;
    p[i] = (p[i] - lr * (new(m)[i] + 0.92 * new(d)[i]) / (sqrt(new(v)[i]) + 1e-8)) / (1 + lr * 0.02);
    prev[i] = g[i];
}
check adan_step(N = 1021, lr = 0.01) with v in 0.0..1.0;
bench adan_step(N = 5500007, lr = 0.01) with v in 0.0..1.0;
