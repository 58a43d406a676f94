// Rows to bytes, without the columns in which something is large: those are for another product.
export fn outlier_quantise(x: f16[M, N], limit: f32) -> (q: i8[M, N], scale: f32[M], outlier: bool[N]) {
    outlier[j] = any[i](abs(x[i, j]) > limit);
    scale[i] = max(max[j where !outlier[j]](abs(x[i, j])) / 127, 1e-8);
    q[i, j] = i8(if outlier[j] then 0 else round(x[i, j] / scale[i]));
}
check outlier_quantise(M = 9, N = 37, limit = 1.5);
bench outlier_quantise(M = 8192, N = 4096, limit = 4.5);
