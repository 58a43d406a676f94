// Products under conditions on indices: what a condition leaves out does not show, whatever it is.
/// The lower triangle of a times b, whose later rows have infinities and NaN: they show from their row on, not before.
export fn lower(a: bf16[M, M], b: bf16[M, N]) -> (y: f32[M, N]) {
    let t: bf16[k, j] = if k % 7 == 5 && j % 3 == 0 then inf else if k % 11 == 9 && j % 5 == 1 then nan else b[k, j];
    y[i, j] = sum[k where k <= i](a[i, k] * t[k, j]);
}
check lower(M = 1, N = 1);
check lower(M = 4, N = 9);
check lower(M = 37, N = 13);
check lower(M = 70, N = 8);
check lower(M = 0, N = 3);

/// The same where all is finite, rounded, with what comes behind it.
export fn finite(a: f16[B, M, M], b: f16[B, M, N], c: f16[N]) -> (y: f16[B, M, N]) {
    y[h, i, j] = tanh(sum[k where k <= i && i - k < 16](a[h, i, k] * b[h, k, j]) * 0.25 + c[j]);
}
check finite(B = 1, M = 1, N = 1);
check finite(B = 2, M = 67, N = 21);
check finite(B = 3, M = 16, N = 40);

/// The condition has indices of both factors alone: a stored factor takes the other's as well.
export fn strided(x: f16[P, C], w: f16[R, C, K]) -> (y: f32[2 * P, K]) {
    y[p, k] = sum[c, r where (p + r) % 2 == 0 && (p + r) / 2 < P](x[(p + r) / 2, c] * w[r, c, k]);
}
check strided(P = 1, C = 1, R = 1, K = 1);
check strided(P = 9, C = 17, R = 3, K = 11);
check strided(P = 8, C = 8, R = 4, K = 8);

/// Windows of a tensor, padded with what is no 0, by a filter of another order.
export fn windows(x: f16[N, C, H], w: f16[K, R, C]) -> (y: f16[N, K, H]) {
    y[n, k, h] = sum[c, r]((if h + r < H then x[n, c, h + r] else 0.5) * w[k, r, c]);
}
check windows(N = 1, C = 1, H = 1, K = 1, R = 1);
check windows(N = 3, C = 9, H = 35, K = 12, R = 3);
check windows(N = 2, C = 8, H = 16, K = 16, R = 5);

/// Heads of queries that share keys and values, whose quotients are indices of their own for a library.
export fn shared(q: bf16[B, 4 * G, M, D], k: bf16[B, G, N, D], v: f16[B, G, N, E]) -> (s: f32[B, G * 4, M, N], o: f32[B, 4 * G, M, E]) {
    s[b, h, i, j] = sum[d](q[b, h, i, d] * k[b, h / 4, j, d]);
    o[b, h, i, e] = sum[j where j <= i + 3](f16(s[b, h, i, j]) * v[b, h / 4, j, e]);
}
check shared(B = 1, G = 1, M = 1, N = 1, D = 1, E = 1);
check shared(B = 2, G = 3, M = 9, N = 17, D = 8, E = 11);
check shared(B = 1, G = 2, M = 16, N = 16, D = 24, E = 8);

/// What a condition leaves out is not there to be read, in one factor.
export fn shorter(a: bf16[M, K], b: bf16[L, N]) -> (y: f32[M, N]) {
    y[i, j] = sum[k in 0..K where k < L](a[i, k] * b[k, j]);
}
check shorter(M = 17, K = 40, L = 9, N = 16);
check shorter(M = 17, K = 9, L = 40, N = 16);
check shorter(M = 8, K = 8, L = 0, N = 8);

/// The same, behind an offset.
export fn later(a: bf16[M, K], b: bf16[K, N]) -> (y: f32[M, N]) {
    y[i, j] = sum[k in 0..K where k >= 3](a[i, k] * b[k - 3, j]);
}
check later(M = 17, K = 9, N = 16);
check later(M = 9, K = 2, N = 8);

/// In both: no library may read either without the condition.
export fn neither(a: f16[M, K], b: f16[K, N]) -> (y: f32[M, N]) {
    y[i, j] = sum[k in 0..2 * K where k + i < K](a[i, k] * b[k, j]);
}
check neither(M = 9, K = 12, N = 13);
