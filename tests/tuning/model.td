// Products for tests/tuning: at K = 8 the stand-in's own choice is the fastest, at K = 64 a variation is; relu must keep NaN.
dim K divisible 8;
export fn layer(x: bf16[M, K], w: bf16[K, N], b: bf16[N]) -> (y: bf16[M, N]) { y[i, j] = max(sum[k](x[i, k] * w[k, j]) + b[j], 0.0); }
export fn heads(x: f16[G, M, K], w: f16[G, N, K], inout y: f16[G, M, N]) { y[g, i, j] += sum[k](x[g, i, k] * w[g, j, k]); }
bench layer(M = 32, K = 64, N = 24);
bench layer(M = 32, K = 8, N = 24);
check heads(G = 3, M = 16, K = 32, N = 8);
check layer(M = 32, K = 64, N = 24);
check layer(M = 7, K = 16, N = 9);
