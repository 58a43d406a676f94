// Statistics of rows that are changed in place, in an order in which each is read before it is changed: the second fold
// reads what was there when the first one has ended, and `x` reads what `m` changes.
export fn in_place_beside(inout x: f32[M, N], inout m: f32[M, N]) -> (mu: f32[M], var: f32[M]) {
    mu[i] = mean[j](x[i, j]);
    var[i] = mean[j]((x[i, j] - mu[i]) ** 2);
    x[i, j] = x[i, j] * rsqrt(var[i] + 1.0) + m[i, j];
    m[i, j] = 2.0 * m[i, j];
}
check in_place_beside(M = 5, N = 37);
check in_place_beside(M = 0, N = 3);
check in_place_beside(M = 3, N = 130);
