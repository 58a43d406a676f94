// Reductions of long rows that read each other, in few rows: each is divided between many blocks (tests/explain counts
// them), whatever stands between them and around.
dim N in 1.. hint 262144;
dim R in 1.. hint 524288;
dim D in 1.. hint 8;

/// A whole tensor with mean 0 and deviation 1; its log of the sum of exponentials; a softmax over all of it.
export fn spread(x: f32[N]) -> (y: f32[N]) {
    let m[] = mean[i](x[i]);
    let v[] = mean[i]((x[i] - m[]) ** 2);
    y[i] = (x[i] - m[]) * rsqrt(v[] + 1e-5);
}
export fn lse(x: f32[N]) -> (v: f32[]) {
    let m[] = max[i](x[i]);
    v[] = m[] + log(sum[i](exp(x[i] - m[])));
}
check spread(N = 4099);
check lse(N = 4099);

/// Statistics of a few columns, kept in place, as a normalisation over batches has them.
export fn columns(x: f32[R, D], inout mean_so_far: f32[D]) -> (y: f32[R, D], v: f32[D]) {
    let m[d] = mean[i](x[i, d]);
    v[d] = mean[i]((x[i, d] - m[d]) ** 2);
    y[i, d] = (x[i, d] - m[d]) / sqrt(v[d] + 1e-5);
    mean_so_far[d] = 0.9 * mean_so_far[d] + 0.1 * m[d];
}
check columns(R = 131, D = 3);

/// A short reduction inside a long one, and functions of the long one around it.
export fn clipped(x: f32[A, B], r: f32[A]) -> (y: f32[A, B]) {
    let s[] = mean[i](r[i] * r[i]);
    let u[i, j] = x[i, j] / sqrt(s[] + 1e-3);
    let rms[] = sqrt(mean[i, j](u[i, j] ** 2));
    y[i, j] = u[i, j] / max(1.0, rms[]);
}
check clipped(A = 67, B = 39);

/// Columns that are tall and not so few, folded by many blocks.
dim T in 1.. hint 50000;
dim C in 1.. hint 300;
export fn scaled_columns(x: f32[T, C]) -> (y: f32[T, C]) {
    let lo[j] = min[i](x[i, j]);
    let hi[j] = max[i](x[i, j]);
    y[i, j] = (x[i, j] - lo[j]) / max(hi[j] - lo[j], 1e-12);
}
check scaled_columns(T = 131, C = 37);
check scaled_columns(T = 1, C = 1);
