// Windows: an element of the result reads its neighbourhood.
export fn win_blur(x: f32[M, N]) -> (y: f32[M, N]) {
    y[i, j] = 0.25 * pad(x[i, j - 1], 0) + 0.5 * x[i, j] + 0.25 * pad(x[i, j + 1], 0);
}
bench win_blur(M = 4096, N = 8192);
bench win_blur(M = 3000, N = 3001);
bench win_blur(M = 200, N = 100000);
bench win_blur(M = 50000, N = 500);

export fn win_five(x: f32[H, W]) -> (y: f32[H, W]) {
    y[i, j] = 4 * x[i, j] - pad(x[i - 1, j], 0) - pad(x[i + 1, j], 0) - pad(x[i, j - 1], 0) - pad(x[i, j + 1], 0);
}
bench win_five(H = 8192, W = 4096);
bench win_five(H = 2047, W = 2049);
bench win_five(H = 3000, W = 10000);
bench win_five(H = 1000, W = 1000);

export fn win_pool(x: f16[C, H, W]) -> (y: f16[C, H / 2, W / 2]) {
    y[c, p, q] = max[r in 0..2, s in 0..2](x[c, 2 * p + r, 2 * q + s]);
}
bench win_pool(C = 2048, H = 112, W = 112);
bench win_pool(C = 512, H = 256, W = 200);
bench win_pool(C = 1000, H = 64, W = 64);

export fn win_pool3(x: f32[C, H, W]) -> (y: f32[C, H, W]) {
    y[c, p, q] = max[r in 0..3, s in 0..3](pad(x[c, p + r - 1, q + s - 1], -inf));
}
bench win_pool3(C = 512, H = 128, W = 128);
bench win_pool3(C = 3000, H = 33, W = 65);
bench win_pool3(C = 64, H = 300, W = 300);
bench win_pool3(C = 10000, H = 32, W = 32);

export fn win_last(x: f16[N, H, W, C]) -> (y: f16[N, H / 2, W / 2, C]) {
    y[n, p, q, c] = (sum[r in 0..2, s in 0..2](f32(x[n, 2 * p + r, 2 * q + s, c]))) * 0.25;
}
bench win_last(N = 32, H = 112, W = 112, C = 128);
bench win_last(N = 64, H = 28, W = 28, C = 200);
bench win_last(N = 16, H = 224, W = 224, C = 64);
bench win_last(N = 100, H = 14, W = 14, C = 1000);

export fn win_depthwise(x: f16[N, H, W, C], w: f32[3, 3, C]) -> (y: f16[N, H, W, C]) {
    y[n, p, q, c] = sum[r in 0..3, s in 0..3](pad(x[n, p + r - 1, q + s - 1, c], 0) * w[r, s, c]);
}
bench win_depthwise(N = 32, H = 56, W = 56, C = 256);
bench win_depthwise(N = 8, H = 100, W = 100, C = 48);
bench win_depthwise(N = 64, H = 28, W = 28, C = 384);
bench win_depthwise(N = 16, H = 112, W = 112, C = 64);

export fn win_causal(x: bf16[B, T, D], w: f32[4, D]) -> (y: bf16[B, T, D]) {
    y[b, t, d] = sum[r in 0..4](pad(x[b, t + r - 3, d], 0) * w[r, d]);
}
bench win_causal(B = 16, T = 2048, D = 1024);
bench win_causal(B = 4, T = 5000, D = 600);
bench win_causal(B = 2, T = 30000, D = 512);
bench win_causal(B = 64, T = 500, D = 768);
