// Outputs at the address of an input: every check of a compiled entry tries it for all pairs of one size, and what is not refused
// must give the same bytes. Here are entries where it is allowed and others where it would be wrong.
// clause 10.7
export fn several(x: f32[M, N], z: f32[M, N], b: f32[N]) -> (y: f32[M, N]) { y[i, j] = x[i, j] * 2 + z[i, j] + b[j]; }
export fn two(x: f32[N], v: f32[N]) -> (y: f32[N], z: f32[N]) {
    y[i] = x[i] * 2;
    z[i] = x[i] + v[i];
}
export fn rows(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let s[i] = sum[j](exp(x[i, j]));
    y[i, j] = exp(x[i, j]) / s[i];
}
export fn columns(x: f32[M, N]) -> (y: f32[M, N]) {
    let s[j] = sum[i](x[i, j] * x[i, j]) + 1;
    y[i, j] = x[i, j] / s[j];
}
export fn turned(x: f32[N, N]) -> (y: f32[N, N]) { y[i, j] = x[j, i]; }
export fn shifted(x: f32[N]) -> (y: f32[N]) { y[i] = pad(x[i - 1], 0) + x[i]; }
export fn picked(x: f32[N], k: i64[N]) -> (y: f32[N]) {
    assume 0 <= k[i] && k[i] < N;
    y[i] = x[k[i]];
}
export fn halves(x: f32[2*N]) -> (y: f32[2*N]) {
    y[i] = if i < N then x[i] else x[2*N - 1 - i] + x[i];
}

check several(M = 37, N = 21);
check two(N = 1000);
check rows(M = 7, N = 1000);
check rows(M = 3, N = 40000);
check columns(M = 70, N = 100);
check turned(N = 130);
check shifted(N = 30000);
check picked(N = 3000);
check halves(N = 3000);
