// Tensors in interleaved pieces, whose ranges follow from the left-hand side: no dimension needs to be even.

export fn rope(x: bf16[B, S, D], pos: i32[B, S], theta: f32 = 10000.0) -> (y: bf16[B, S, D]) {
    require D % 2 == 0;
    let a[b, t, i in D / 2] = f32(pos[b, t]) * exp2(-(2.0 * i / D) * log2(theta));
    y[b, t, 2*i] = x[b, t, 2*i] * cos(a[b, t, i]) - x[b, t, 2*i + 1] * sin(a[b, t, i]);
    y[b, t, 2*i + 1] = x[b, t, 2*i] * sin(a[b, t, i]) + x[b, t, 2*i + 1] * cos(a[b, t, i]);
}
check rope(B = 2, S = 3, D = 10);
check rope(B = 2, S = 3, D = 0);

export fn pairs(x: f32[D]) -> (y: f32[D]) {
    y[2*i] = x[2*i] * i;
    y[2*i + 1] = -x[2*i + 1];
}
check pairs(D = 7);
check pairs(D = 1);
check pairs(D = 0);

export fn channels(x: f32[M, D]) -> (y: f32[M, D]) {
    y[m, 3*i] = x[m, 3*i];
    y[m, 3*i + 1] = 2 * x[m, 3*i + 1];
    y[m, 3*i + 2] = 0.0;
}
check channels(M = 3, D = 8);
check channels(M = 3, D = 6);
check channels(M = 3, D = 1);

export fn prefix(x: f32[N]) -> (y: f32[N + 1]) {
    y[0] = 0.0;
    y[i + 1] = sum[k where k <= i](x[k]);
}
check prefix(N = 37);
check prefix(N = 0);

export fn tail(inout x: f32[N]) {
    x[2*i + 5] += 1.0;
}
check tail(N = 9);
check tail(N = 2);

export fn turned(x: bf16[M, 2*D], c: f32[D]) -> (y: bf16[M, 2*D]) {
    let a[m, d in D] = x[m, d];
    let b[m, d in D] = x[m, D + d];
    y[m, d in D] = a[m, d] * c[d] - b[m, d];
    y[m, D + d] = b[m, d] * c[d] + a[m, d];
}
check turned(M = 3, D = 37);
check turned(M = 5, D = 8);
check turned(M = 1, D = 1);
check turned(M = 4, D = 0);

export fn maxima(x: f32[M, N]) -> (y: f32[M, 2*N]) {
    let m[i] = max[j](x[i, j]);
    y[i, 2*j] = x[i, j] - m[i];
    y[i, 2*j + 1] = exp(x[i, j] - m[i]);
}
check maxima(M = 7, N = 67);
check maxima(M = 2, N = 1);
check maxima(M = 3, N = 0);

/// Pieces between each other in any order: one is a constant, one has loads under a condition of data.
export fn mixed(x: f32[M, 3*K], s: f32[K]) -> (y: bf16[M, 3*K]) {
    y[m, 3*i + 2] = x[m, 3*i] * s[i];
    y[m, 3*i] = if s[i] > 0.0 then x[m, 3*i + 2] else -x[m, 3*i + 1];
    y[m, 3*i + 1] = 0.5;
}
check mixed(M = 3, K = 5);
check mixed(M = 2, K = 32);
check mixed(M = 1, K = 1);
check mixed(M = 2, K = 0);

/// Not from the first element on; two subscripts that differ; along the first dimension.
export fn behind(x: f32[2*K]) -> (y: f32[2*K + 1]) {
    y[0] = 7.0;
    y[2*i + 1] = x[2*i + 1];
    y[2*i + 2] = x[2*i] * i;
}
export fn corners(x: f32[K, K]) -> (y: f32[2*K, 2*K]) {
    y[2*i, 2*j] = x[i, j];
    y[2*i, 2*j + 1] = -x[i, j];
    y[2*i + 1, 2*j] = x[j, i];
    y[2*i + 1, 2*j + 1] = i - j;
}
export fn rows_between(a: f16[K, N], b: f16[K, N]) -> (y: f16[2*K, N]) {
    y[2*i, j] = a[i, j];
    y[2*i + 1, j] = b[i, j] + a[i, j];
}
check behind(K = 9);
check behind(K = 0);
check corners(K = 5);
check rows_between(K = 3, N = 17);
check rows_between(K = 2, N = 64);

/// Pairs that change places in place: each reads what the other stores.
export fn exchanged(inout x: f32[M, 2*K]) {
    x[m, 2*i] = x[m, 2*i + 1];
    x[m, 2*i + 1] = 2 * x[m, 2*i];
}
check exchanged(M = 3, K = 37);

/// Of narrow types, and truth.
export fn signs(x: i8[2*K], z: f16[K]) -> (y: bool[2*K], w: i4[2*K], q: f8e4m3[3*K]) {
    y[2*i] = x[2*i] > x[2*i + 1];
    y[2*i + 1] = z[i] < 0.0;
    w[2*i] = i4(clamp(i32(x[2*i]), -8, 7));
    w[2*i + 1] = i4(i % 7);
    q[3*i] = z[i];
    q[3*i + 1] = f32(x[i + K]) * z[i];
    q[3*i + 2] = 2.0;
}
check signs(K = 19);
