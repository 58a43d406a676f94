// Two-dimensional filters: a border that pad supplies, and a stride whose range must be proved.
dim H in 1..=4096;
dim W in 1..=4096;

/// A 3 by 5 filter over a picture of the same size, the border of ones, then a bias and a clamp at zero.
export fn bordered(x: f32[N, C, H, W], f: f32[O, C, 3, 5], b: f32[O]) -> (y: f32[N, O, H, W]) {
    y[n, o, p, q] = relu(b[o] + sum[c, r, s](pad(x[n, c, p + r - 1, q + s - 2], 1.0) * f[o, c, r, s]));
}
check bordered(N = 1, C = 1, H = 1, W = 1, O = 1);
check bordered(N = 2, C = 3, H = 7, W = 13, O = 5);
check bordered(N = 1, C = 11, H = 2, W = 35, O = 3);
check bordered(N = 2, C = 0, H = 3, W = 3, O = 2);

/// A filter of any size, two rows and three columns a step, nothing padded, in bf16.
export fn strided(x: bf16[N, C, 2*P + R, 3*Q + S], f: bf16[O, C, R, S]) -> (y: bf16[N, O, P, Q]) {
    y[n, o, p, q] = sum[c, r, s](x[n, c, 2*p + r, 3*q + s] * f[o, c, r, s]);
}
check strided(N = 1, C = 1, P = 1, Q = 1, R = 1, S = 1, O = 1);
check strided(N = 2, C = 5, P = 9, Q = 7, R = 3, S = 2, O = 11);
check strided(N = 1, C = 17, P = 1, Q = 21, R = 1, S = 4, O = 3);
check strided(N = 0, C = 2, P = 3, Q = 3, R = 2, S = 2, O = 4);
