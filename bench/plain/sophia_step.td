// A step with a clipped ratio of momentum and curvature, and the share of elements that were clipped.
export fn sophia_step(inout p: f32[M, N], inout m: bf16[M, N], h: bf16[M, N], g: bf16[M, N], lr: f32) -> (clipped: f32[]) {
    m[i, j] = 0.96 * m[i, j] + 0.04 * g[i, j];
    let r[i, j] = new(m)[i, j] / max(0.04 * h[i, j], 1e-12);
    p[i, j] = p[i, j] * (1 - 0.1 * lr) - lr * clamp(r[i, j], -1, 1);
    clipped[] = mean[i, j](if abs(r[i, j]) > 1 then 1.0 else 0.0);
}
check sophia_step(M = 7, N = 37, lr = 0.01);
bench sophia_step(M = 4096, N = 2731, lr = 0.01);
