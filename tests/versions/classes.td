// One entry a class of kernels. Nothing is said of lengths, so each has several versions; the checks are of sizes on
// both sides of what parts them.
export fn map(x: f16[M, N], b: f16[N]) -> (y: f16[M, N]) { y[i, j] = x[i, j] * b[j] + 1.0; }
check map(M = 3, N = 5);
check map(M = 2, N = 4096);
export fn row(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let m[i] = max[k](f32(x[i, k]));
    let e[i, j] = exp(x[i, j] - m[i]);
    let z[i] = sum[k](e[i, k]);
    y[i, j] = e[i, j] / z[i];
}
check row(M = 5, N = 30);
check row(M = 3, N = 250);
check row(M = 3, N = 1000);
check row(M = 2, N = 3001);
check row(M = 2, N = 6000);
check row(M = 1, N = 66000);
export fn column(x: f32[M, N]) -> (y: f32[N]) { y[j] = sum[i](x[i, j]); }
check column(M = 2, N = 33);
check column(M = 700, N = 20);
check column(M = 9000, N = 40);
export fn relayout(x: bf16[M, N]) -> (y: bf16[N, M]) { y[j, i] = x[i, j]; }
check relayout(M = 3, N = 100);
check relayout(M = 100, N = 3);
check relayout(M = 65, N = 130);
export fn prefix(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = sum[k where k <= j](x[i, k]); }
check prefix(M = 3, N = 20);
check prefix(M = 3, N = 5000);
export fn whole(x: f32[N]) -> (y: f32[]) { y[] = sum[i](x[i] * x[i]); }
check whole(N = 0);
check whole(N = 100);
check whole(N = 10000);
check whole(N = 70000);
