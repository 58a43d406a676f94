dim K, N, M;
dim N in 1.. hint 77 divisible 5;
dim K hint 8;
bench theirs(M = 4096, N = 4095, K = 4097);
export fn theirs(z: f32[N], x: f32[K, M]) -> (y: f32[M, N]) { y[m, n] = z[n] + sum[k](x[k, m]); }
