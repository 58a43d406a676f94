// 8-bit floats and 4-bit integers in tensors (docs/language.md 2.1): quantised weights and activations, at even, odd and empty sizes.
export fn f8_copy(x: f8e4m3[N], y: f8e5m2[N]) -> (a: f8e5m2[N], b: f8e4m3[N], c: f32[N]) {
    a[i] = x[i] * 2.0;
    b[i] = y[i] + 1.0;
    c[i] = x[i] - y[i];
}
check f8_copy(N = 1);
check f8_copy(N = 0);
check f8_copy(N = 37);
check f8_copy(N = 1024);

export fn f8_cast(x: f32[M, N]) -> (a: f8e4m3[M, N], b: f8e5m2[M, N], c: f32[M, N], d: f16[M, N]) {
    let r[i, j] = x[i, j] * x[i, j] * x[i, j];
    a[i, j] = r[i, j];
    b[i, j] = r[i, j];
    c[i, j] = f8e4m3(r[i, j]) + f8e5m2(r[i, j]);
    d[i, j] = f16(f8e4m3(x[i, j] * 0.001));
}
check f8_cast(M = 5, N = 37) with x ~ 10.0;
check f8_cast(M = 3, N = 256) with x ~ 0.05;

// A product of 8-bit floats with a scale a row and a column, as a quantised linear layer has.
export fn f8_linear(x: f8e4m3[M, K], w: f8e4m3[N, K], sx: f32[M], sw: f32[N]) -> (y: bf16[M, N]) {
    y[i, j] = sum[k](x[i, k] * w[j, k]) * sx[i] * sw[j];
}
check f8_linear(M = 5, N = 7, K = 33);
check f8_linear(M = 16, N = 32, K = 64);
check f8_linear(M = 3, N = 2, K = 0);

// An intermediate that is declared f8 rounds.
export fn f8_between(x: f32[M, N]) -> (y: f32[M]) {
    let q: f8e4m3[i, j] = x[i, j];
    let m: f8e5m2[i] = max[j](q[i, j] * q[i, j]);
    y[i] = sum[j](q[i, j]) + m[i];
}
check f8_between(M = 4, N = 100);
check f8_between(M = 1, N = 1);

// Weights of 4 bits with a scale and a zero for each group of G along K.
export fn i4_linear(x: f16[M, D], w: i4[N, D], s: f16[N, D / 32]) -> (y: f16[M, N]) {
    y[i, j] = sum[k](x[i, k] * f16(w[j, k]) * s[j, k / 32]);
}
dim D divisible 32;
check i4_linear(M = 3, N = 5, D = 64);
check i4_linear(M = 1, N = 33, D = 256);
check i4_linear(M = 2, N = 3, D = 0);

export fn u4_dequantise(w: u4[N, L], s: f32[N], z: u4[N]) -> (y: bf16[N, L], m: i32[N], a: i64[N]) {
    y[n, k] = f32(w[n, k] - z[n]) * s[n];
    m[n] = max[k](w[n, k]);
    a[n] = argmax[k](w[n, k]);
}
check u4_dequantise(N = 3, L = 1);
check u4_dequantise(N = 3, L = 0);
check u4_dequantise(N = 5, L = 37);
check u4_dequantise(N = 7, L = 128);
check u4_dequantise(N = 65, L = 130);

// Results of 4 bits: rows of an odd length share bytes.
export fn i4_quantise(x: f32[N, L]) -> (q: i4[N, L], u: u4[N, L], s: f32[N]) {
    let top[n] = max[k](abs(x[n, k]));
    s[n] = top[n] / 7.0;
    q[n, k] = i4(round(x[n, k] / s[n]));
    u[n, k] = u4(round(x[n, k] / s[n]) + 8.0);
}
check i4_quantise(N = 1, L = 1);
check i4_quantise(N = 0, L = 5);
check i4_quantise(N = 3, L = 5);
check i4_quantise(N = 5, L = 37);
check i4_quantise(N = 4, L = 256);
check i4_quantise(N = 33, L = 129);

// In place, turned round, across the halves of bytes.
export fn i4_update(inout q: i4[N], x: u4[N]) -> (r: u4[N]) {
    q[i] = i4(q[i] * 3 + x[i]);
    r[i] = u4(x[N - 1 - i] ^ 5);
}
check i4_update(N = 1);
check i4_update(N = 7);
check i4_update(N = 64);
check i4_update(N = 333);

// Part of a tensor: the other elements keep their values, also those in the same byte.
export fn u4_every_third(inout q: u4[N], x: u4[N]) {
    q[i] = u4(x[i] + 1) where i % 3 == 1;
}
check u4_every_third(N = 1);
check u4_every_third(N = 8);
check u4_every_third(N = 101);

export fn u4_transpose(x: u4[M, N]) -> (y: u4[N, M]) {
    y[j, i] = x[i, j];
}
check u4_transpose(M = 5, N = 7);
check u4_transpose(M = 64, N = 34);
check u4_transpose(M = 1, N = 33);
