// Scans over few long rows, whose blocks have shares: of 4096 elements, and of 64 rows of columns.
export fn rows(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = sum[k where k <= j](x[i, k]) * 0.5; }
export fn behind(x: f16[N]) -> (y: f16[N]) { y[j] = max[k where k > j && x[k] < 1.0](x[k] + x[k - 1]); }
export fn best(x: i32[N]) -> (y: i64[N]) { y[j] = argmin[k where k <= j](x[k] % 1000); }
export fn down(x: bf16[N, D]) -> (count: i32[N, D]) { count[i, d] = sum[k where k <= i](x[k, d] > 0.0); }
export fn share(x: f32[M, N]) -> (y: f32[M, N]) {
    let s[i] = sum[k](x[i, k]);
    y[i, j] = sum[k where k < j](x[i, k]) / (s[i] + 1e6);
}
export fn probable(x: f32[M, N]) -> (y: f32[M, N]) {
    let m[i] = max[k](x[i, k]);
    let s[i] = sum[k](exp(x[i, k] - m[i]));
    y[i, j] = sum[k where k <= j](exp(x[i, k] - m[i]) / s[i]);
}
export fn twice(x: f32[N]) -> (y: f32[N]) {
    let a[j in 0..N] = sum[k where k <= j](x[k]);
    y[j] = max[k where k <= j](abs(a[k]));
}
check rows(M = 2, N = 4300); check rows(M = 1, N = 1); check rows(M = 0, N = 5); check rows(M = 3, N = 0);
check behind(N = 4500); check behind(N = 1);
check best(N = 4400); check best(N = 1); check best(N = 0);
check down(N = 700, D = 3); check down(N = 192, D = 35); check down(N = 0, D = 2);
check share(M = 1, N = 4300); check share(M = 2, N = 1);
check probable(M = 1, N = 4200); check probable(M = 2, N = 1);
check twice(N = 4400); check twice(N = 1);
