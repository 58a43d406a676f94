// A gradient, scaled down to a norm where it is longer, and its norm.
export fn clip_by_norm(g: bf16[N]) -> (y: bf16[N], norm: f32[]) {
    let r = sqrt(sum[i](g[i] * g[i]));
    norm[] = r;
    y[i] = g[i] * min(1, 1.0 / (r + 1e-6));
}
check clip_by_norm(N = 1021);
bench clip_by_norm(N = 40000003);
