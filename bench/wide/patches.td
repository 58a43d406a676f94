// Images of three channels to rows of their patches, scaled.
export fn patches(x: f32[N, 3, 16*P, 16*Q]) -> (y: bf16[N, P, Q, 768]) {
    y[n, p, q, k] = (x[n, k / 256, 16*p + k / 16 % 16, 16*q + k % 16] - 0.5) * 2;
}
check patches(N = 2, P = 2, Q = 3);
bench patches(N = 128, P = 14, Q = 14);
