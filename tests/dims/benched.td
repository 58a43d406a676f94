// Sizes of bench lines are hints where there are none: of several, the largest. clause 11.6
dim K hint 48;

export fn f(x: f32[M, N, K]) -> (y: f32[M]) { y[m] = sum[n, k](x[m, n, k]); }
export fn g(x: f32[M, N]) -> (y: f32[M]) { y[m] = sum[n](x[m, n]); }

bench f(M = 3, N = 4000000, K = 5);
bench f(M = 30, N = 4000, K = 5);
check g(M = 3, N = 5);
