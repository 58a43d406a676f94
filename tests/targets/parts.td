// What the prelude does in another way for some targets: kernels that wait for each other, 8-bit floats, products that the
// library has on some devices alone, and the rest that is written in instructions of its own.
export fn chained(x: f32[M, N]) -> (y: f32[M, N], s: f32[M]) {
    let m = max[i, j](x[i, j]);
    let z = sum[i, j](exp(x[i, j] - m));
    y[i, j] = exp(x[i, j] - m) / z;
    s[i] = sum[j](y[i, j]);
}
export fn narrowed(x: f32[M, N]) -> (q: f8e4m3[M, N], r: f8e5m2[M, N], h: bf16[M, N], n: i4[M, N]) {
    q[i, j] = f8e4m3(x[i, j] * 100);
    r[i, j] = f8e5m2(x[i, j] * 1e-4);
    h[i, j] = bf16(tanh(x[i, j]));
    n[i, j] = i4(clamp(round(x[i, j]), -8, 7));
}
export fn widened(q: f8e4m3[M, N], r: f8e5m2[M, N], h: bf16[M, N]) -> (y: f32[M, N], m: bf16[M]) {
    y[i, j] = f32(q[i, j]) + f32(r[i, j]);
    m[i] = max[j](h[i, j]);
}
export fn multiplied(a: f8e4m3[M, K], b: f8e4m3[K, N]) -> (y: bf16[M, N]) {
    y[i, j] = bf16(sum[k](f32(a[i, k]) * f32(b[k, j])));
}
check chained(M = 5, N = 70);
check narrowed(M = 5, N = 70) with x ~ 30;
check widened(M = 5, N = 70);
check multiplied(M = 16, K = 32, N = 16);
