// A map with a broadcast along rows; the shared part is evaluated once.
export fn elementwise(x: bf16[M, N], b: f32[N], s: f32) -> (y: bf16[M, N]) {
    let h[i, j] = x[i, j] * s + b[j];
    y[i, j] = 0.5 * h[i, j] * (1 + tanh(0.7978845608028654 * (h[i, j] + 0.044715 * h[i, j] * h[i, j] * h[i, j])));
}
check elementwise(M = 5, N = 77, s = 0.5);
check elementwise(M = 1, N = 1, s = 2.0);
check elementwise(M = 0, N = 3, s = 1.0);
check elementwise(M = 3, N = 128, s = 1.5);
