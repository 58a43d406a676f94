// Relayouts: elements move, and nothing is computed of them.
export fn lay_transpose(x: f32[M, N]) -> (y: f32[N, M]) { y[j, i] = x[i, j]; }
bench lay_transpose(M = 4096, N = 8192);
bench lay_transpose(M = 1000003, N = 8);
bench lay_transpose(M = 5000, N = 3333);
bench lay_transpose(M = 16384, N = 2048);
bench lay_transpose(M = 300, N = 100000);

export fn lay_batched(x: f16[B, M, N]) -> (y: f16[B, N, M]) { y[b, j, i] = x[b, i, j]; }
bench lay_batched(B = 512, M = 256, N = 256);
bench lay_batched(B = 4096, M = 64, N = 100);
bench lay_batched(B = 100, M = 1000, N = 500);
bench lay_batched(B = 20000, M = 32, N = 32);

export fn lay_heads(x: bf16[B, S, 3, H, D]) -> (q: bf16[B, H, S, D], k: bf16[B, H, S, D]) {
    q[b, h, s, d] = x[b, s, 0, h, d];
    k[b, h, s, d] = x[b, s, 1, h, d];
}
bench lay_heads(B = 8, S = 2048, H = 16, D = 64);
bench lay_heads(B = 2, S = 1000, H = 12, D = 80);
bench lay_heads(B = 16, S = 512, H = 32, D = 128);

export fn lay_to_last(x: bf16[N, C, H, W]) -> (y: bf16[N, H, W, C]) { y[n, i, j, c] = x[n, c, i, j]; }
bench lay_to_last(N = 64, C = 64, H = 112, W = 112);
bench lay_to_last(N = 16, C = 3, H = 512, W = 512);
bench lay_to_last(N = 128, C = 256, H = 28, W = 28);
bench lay_to_last(N = 32, C = 100, H = 50, W = 50);

export fn lay_to_first(x: f32[N, H, W, C]) -> (y: f32[N, C, H, W]) { y[n, c, i, j] = x[n, i, j, c]; }
bench lay_to_first(N = 32, H = 64, W = 64, C = 128);
bench lay_to_first(N = 8, H = 500, W = 500, C = 4);
bench lay_to_first(N = 64, H = 56, W = 56, C = 96);
bench lay_to_first(N = 16, H = 224, W = 224, C = 16);

export fn lay_interleave(a: f16[M, N], b: f16[M, N]) -> (y: f16[M, N, 2]) {
    y[i, j, 0] = a[i, j];
    y[i, j, 1] = b[i, j];
}
bench lay_interleave(M = 4096, N = 4096);
bench lay_interleave(M = 2001, N = 999);
bench lay_interleave(M = 64, N = 500000);

export fn lay_reverse(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = x[i, N - 1 - j]; }
bench lay_reverse(M = 8192, N = 4096);
bench lay_reverse(M = 4000, N = 4097);
bench lay_reverse(M = 100000, N = 200);
bench lay_reverse(M = 20, N = 2000000);

export fn lay_shuffle(x: f16[N, 2, C, H]) -> (y: f16[N, C, 2, H]) { y[n, c, g, h] = x[n, g, c, h]; }
bench lay_shuffle(N = 128, C = 116, H = 784);
bench lay_shuffle(N = 4096, C = 64, H = 36);
bench lay_shuffle(N = 1000, C = 50, H = 200);
