dim M, N;
dim N, K; // expect error[E0201]: the order of dimensions is given twice
export fn f(x: f32[N, M, K]) -> (y: f32[M]) { y[m] = sum[n, k](x[n, m, k]); }
