// mean divides by what was selected.
export fn means(x: f32[M, N], keep: bool[M, N]) -> (a: f32[M], b: f32[M], c: f32[M], d: f64[], e: f32[M]) {
    require N >= 3;
    a[i] = mean[j](x[i, j]);
    b[i] = mean[j where keep[i, j]](x[i, j]);
    c[i] = mean[j in 0..3](x[i, j]);
    d[] = mean[i, j](f64(x[i, j]));
    e[i] = mean[j in 0..N, k in 0..j](x[i, k]);
}
