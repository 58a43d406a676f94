// What is not loaded: elements outside of a tensor, and beyond a diagonal. What a load leaves there serves the
// expressions that ask for it, each for its own value, and vectors are loaded where any of their elements is.
export fn around(x: f16[M, N]) -> (s: f32[M, N], t: f16[M, N], u: f32[M, N]) {
    s[i, j] = sum[q in 0..3](f32(pad(x[i, j + q - 1], 0)));
    t[i, j] = max[q in 0..3](pad(x[i, j + q - 1], -inf));
    u[i, j] = f32(pad(x[i, j - 1], 0)) - 2.0 * f32(pad(x[i, j - 1], 1)) + f32(pad(x[i, j - 1], -0.0));
}
export fn counted(x: i32[M, N], k: u8[M, N]) -> (s: i64[M, N], t: f32[M, N]) {
    s[i, j] = sum[q in 0..5](i64(if i + q >= 2 && i + q < M + 2 then x[i + q - 2, j] else 0));
    t[i, j] = f32(if j >= 1 then k[i, j - 1] else 0) + (if j >= 1 then f32(k[i, j - 1]) else -1.0);
}
export fn below(s: bf16[B, L, N]) -> (y: bf16[B, L, N], z: f32[B, L]) {
    let m[b, i] = max[k where k <= i](s[b, i, k]);
    let d[b, i] = sum[k where k <= i](exp(s[b, i, k] - m[b, i]));
    y[b, i, j] = if j <= i then exp(s[b, i, j] - m[b, i]) / d[b, i] else 0;
    z[b, i] = log(d[b, i]) + m[b, i];
}
export fn above(s: f16[L, N]) -> (z: f32[L], w: f32[L], v: f32[L]) {
    z[i] = sum[k where k >= i](f32(s[i, k]));
    w[i] = sum[k where k > i - 3 && k < i + 9](f32(s[i, k]) * k);
    v[i] = sum[k where i < k + 2 && k != i](f32(s[i, k]));
}
export fn clamped(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = x[max(i - 1, 0), min(j + 2, N - 1)] * (j - i); }
export around_known = around(M = 5, N = 64);
export below_known = below(B = 2, L = 40, N = 48);
export above_known = above(L = 30, N = 64);

check around(M = 3, N = 37);
check around(M = 2, N = 1);
check around(M = 1, N = 128);
check counted(M = 7, N = 33);
check counted(M = 1, N = 16);
check below(B = 2, L = 19, N = 19);
check below(B = 1, L = 40, N = 64);
check below(B = 2, L = 3, N = 513);
check above(L = 17, N = 40);
check above(L = 24, N = 24);
check above(L = 1, N = 8);
check clamped(M = 4, N = 33);
check clamped(M = 1, N = 1);
check around_known();
check below_known();
check above_known();
