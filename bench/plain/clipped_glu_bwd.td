// The backward of a clipped gated unit whose halves alternate, and of the bias of each token's expert.
export fn clipped_glu_bwd(dy: bf16[T, N], x: bf16[T, 2*N], e: i32[T], b: f32[E, 2*N])
        -> (dx: bf16[T, 2*N], db: f32[E, 2*N]) {
    assume 0 <= e[t] && e[t] < E;
    let g[t, j in N] = x[t, 2*j] + b[e[t], 2*j];
    let u[t, j in N] = x[t, 2*j + 1] + b[e[t], 2*j + 1];
    let gate[t, j] = min(g[t, j], 7);
    let up[t, j] = clamp(u[t, j], -7, 7);
    let s[t, j] = 1 / (1 + exp(-1.702 * gate[t, j]));
    dx[t, 2*j] = if g[t, j] <= 7 then dy[t, j] * (up[t, j] + 1) * s[t, j] * (1 + 1.702 * gate[t, j] * (1 - s[t, j])) else 0;
    dx[t, 2*j + 1] = if abs(u[t, j]) <= 7 then dy[t, j] * gate[t, j] * s[t, j] else 0;
    db[e[t], k] += dx[t, k];
}
check clipped_glu_bwd(T = 23, N = 37, E = 5) with x ~ 4.0;
bench clipped_glu_bwd(T = 4096, N = 2880, E = 32) with x ~ 4.0;
