// Columns: what is folded does not lie along the last axis, or is all there is.
export fn col_sum(x: f32[M, N]) -> (y: f32[N]) { y[j] = sum[i](x[i, j]); }
bench col_sum(M = 16384, N = 2048);
bench col_sum(M = 1000000, N = 32);
bench col_sum(M = 300, N = 100000);
bench col_sum(M = 4096, N = 8192);

export fn col_max(x: bf16[M, N]) -> (y: bf16[N]) { y[j] = max[i](x[i, j]); }
bench col_max(M = 8192, N = 8192);
bench col_max(M = 20000, N = 1001);
bench col_max(M = 100000, N = 512);
bench col_max(M = 1000000, N = 24);

export fn col_middle(x: f16[B, K, N]) -> (y: f32[B, N]) { y[b, j] = sum[k](f32(x[b, k, j])); }
bench col_middle(B = 256, K = 128, N = 1024);
bench col_middle(B = 10000, K = 49, N = 64);
bench col_middle(B = 32, K = 2000, N = 700);
bench col_middle(B = 2000, K = 300, N = 33);

export fn col_channels(x: f16[N, C, H, W]) -> (s: f32[C], q: f32[C]) {
    s[c] = sum[n, i, j](f32(x[n, c, i, j]));
    q[c] = sum[n, i, j](f32(x[n, c, i, j]) ** 2);
}
bench col_channels(N = 32, C = 256, H = 56, W = 56);
bench col_channels(N = 64, C = 2048, H = 7, W = 7);
bench col_channels(N = 128, C = 64, H = 28, W = 30);
bench col_channels(N = 8, C = 512, H = 100, W = 100);

export fn col_total(x: f32[N]) -> (y: f32[]) { y[] = sum[i](x[i] ** 2); }
bench col_total(N = 67108864);
bench col_total(N = 1000003);
bench col_total(N = 20000000);

export fn col_weighted(x: bf16[M, N], w: f32[M]) -> (y: f32[N]) { y[j] = sum[i](w[i] * x[i, j]); }
bench col_weighted(M = 16384, N = 4096);
bench col_weighted(M = 1000, N = 12001);
bench col_weighted(M = 200000, N = 200);
bench col_weighted(M = 5000, N = 5000);
