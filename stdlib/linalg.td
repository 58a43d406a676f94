// Products of vectors and matrices, norms and distances, small matrices, running folds. Results are acc(T). "..." in a type
// is any number of leading axes. Transposition and diagonals are in index.

// ---- products ----

/// sum_k x[k] y[k]: numpy.dot of vectors. x, y: T[K] -> acc(T)[].
fn dot<T>(x: T[K], y: T[K]) -> (z: acc(T)[]) { z[] = sum[k](x[k] * y[k]); }

/// sum_k x[..., k] y[..., k]: torch.linalg.vecdot. x, y: T[..., K] -> acc(T)[...].
fn vecdot<T>(x: T[B..., K], y: T[B..., K]) -> (z: acc(T)[B...]) { z[b...] = sum[k](x[b..., k] * y[b..., k]); }

/// x[i] y[j]: numpy.outer. x: T[M], y: T[N] -> acc(T)[M, N].
fn outer<T>(x: T[M], y: T[N]) -> (z: acc(T)[M, N]) { z[i, j] = x[i] * y[j]; }

/// sum_k x[..., i, k] y[..., k, j]: numpy.matmul, torch.bmm. x: T[..., M, K], y: T[..., K, N] -> acc(T)[..., M, N].
fn matmul<T>(x: T[B..., M, K], y: T[B..., K, N]) -> (z: acc(T)[B..., M, N]) {
    z[b..., i, j] = sum[k](x[b..., i, k] * y[b..., k, j]);
}

/// x y^T: sum_k x[..., i, k] y[..., j, k]. x: T[..., M, K], y: T[..., N, K] -> acc(T)[..., M, N].
fn matmul_nt<T>(x: T[B..., M, K], y: T[B..., N, K]) -> (z: acc(T)[B..., M, N]) {
    z[b..., i, j] = sum[k](x[b..., i, k] * y[b..., j, k]);
}

/// x^T y: sum_k x[..., k, i] y[..., k, j]. x: T[..., K, M], y: T[..., K, N] -> acc(T)[..., M, N].
fn matmul_tn<T>(x: T[B..., K, M], y: T[B..., K, N]) -> (z: acc(T)[B..., M, N]) {
    z[b..., i, j] = sum[k](x[b..., k, i] * y[b..., k, j]);
}

/// x^T y^T: sum_k x[..., k, i] y[..., j, k]. x: T[..., K, M], y: T[..., N, K] -> acc(T)[..., M, N].
fn matmul_tt<T>(x: T[B..., K, M], y: T[B..., N, K]) -> (z: acc(T)[B..., M, N]) {
    z[b..., i, j] = sum[k](x[b..., k, i] * y[b..., j, k]);
}

/// sum_k x[i, k] y[k]: torch.mv. x: T[..., M, K], y: T[K] -> acc(T)[..., M].
fn mv<T>(x: T[B..., M, K], y: T[K]) -> (z: acc(T)[B..., M]) { z[b..., i] = sum[k](x[b..., i, k] * y[k]); }

/// sum_k x[..., k] w[n, k] + bias[n]: torch.nn.functional.linear, whose weight is stored by outputs. act is applied at the
/// end. x: T[..., K], w: T[N, K], bias: acc(T)[N] -> acc(T)[..., N].
fn linear<T, act: fn = identity>(x: T[B..., K], w: T[N, K], bias: acc(T)[N] = 0) -> (y: acc(T)[B..., N]) {
    y[b..., n] = act(sum[k](x[b..., k] * w[n, k]) + bias[n]);
}

/// Gradients of linear without act: dx[..., k] = sum_n dy[..., n] w[n, k], dw[n, k] = sum over rows of dy[..., n] x[..., k],
/// dbias[n] = sum over rows of dy[..., n]. dy: T[..., N], x: T[..., K], w: T[N, K] -> acc(T)[..., K], acc(T)[N, K], acc(T)[N].
fn linear_grad<T>(dy: T[B..., N], x: T[B..., K], w: T[N, K]) -> (dx: acc(T)[B..., K], dw: acc(T)[N, K], dbias: acc(T)[N]) {
    dx[b..., k] = sum[n](dy[b..., n] * w[n, k]);
    dw[n, k] = sum[b...](dy[b..., n] * x[b..., k]);
    dbias[n] = sum[b...](dy[b..., n]);
}

/// beta c + alpha x y: torch.addmm, torch.baddbmm. c: T[..., M, N], x: T[..., M, K], y: T[..., K, N] -> acc(T)[..., M, N].
fn addmm<T>(c: T[B..., M, N], x: T[B..., M, K], y: T[B..., K, N], alpha: acc(T) = 1, beta: acc(T) = 1)
    -> (z: acc(T)[B..., M, N]) {
    z[b..., i, j] = beta * c[b..., i, j] + alpha * sum[k](x[b..., i, k] * y[b..., k, j]);
}

/// sum_ij x[..., i] a[n, i, j] y[..., j] + bias[n]: torch.nn.functional.bilinear.
/// x: T[..., I], y: T[..., J], a: T[N, I, J], bias: acc(T)[N] -> acc(T)[..., N].
fn bilinear<T>(x: T[B..., I], y: T[B..., J], a: T[N, I, J], bias: acc(T)[N] = 0) -> (z: acc(T)[B..., N]) {
    z[b..., n] = sum[i, j](x[b..., i] * a[n, i, j] * y[b..., j]) + bias[n];
}

/// sum_k x[..., k, i] x[..., k, j]: the products of a matrix's columns. x: T[..., K, N] -> acc(T)[..., N, N].
fn gram<T>(x: T[B..., K, N]) -> (z: acc(T)[B..., N, N]) { z[b..., i, j] = sum[k](x[b..., k, i] * x[b..., k, j]); }

/// x[i, j] y[k, l] at [i P + k, j Q + l]: numpy.kron. x: T[M, N], y: T[P, Q] -> acc(T)[M*P, N*Q].
fn kron<T>(x: T[M, N], y: T[P, Q]) -> (z: acc(T)[M*P, N*Q]) { z[i, j] = x[i / P, j / Q] * y[i % P, j % Q]; }

/// The product of 3-vectors that stands on both: numpy.cross. x, y: T[..., 3] -> acc(T)[..., 3].
fn cross<T>(x: T[B..., 3], y: T[B..., 3]) -> (z: acc(T)[B..., 3]) {
    z[b..., i] = x[b..., (i + 1) % 3] * y[b..., (i + 2) % 3] - x[b..., (i + 2) % 3] * y[b..., (i + 1) % 3];
}

/// a int8 product with scales: (sum_k x[i, k] w[n, k]) sx[i] sw[n], the sum in i32. x: i8[M, K], w: i8[N, K], sx: f32[M],
/// sw: f32[N] -> f32[M, N].
fn linear_i8(x: i8[M, K], w: i8[N, K], sx: f32[M], sw: f32[N]) -> (y: f32[M, N]) {
    y[i, n] = f32(sum[k](x[i, k] * w[n, k])) * sx[i] * sw[n];
}

// ---- sums over matrices ----

/// sum_i x[..., i, i]: numpy.trace of the last two axes. x: T[..., N, N] -> acc(T)[...].
fn trace<T>(x: T[B..., N, N]) -> (z: acc(T)[B...]) { z[b...] = sum[i](x[b..., i, i]); }

/// sum_ij x[..., i, j] y[..., i, j]: the inner product of matrices, trace(x^T y). x, y: T[..., M, N] -> acc(T)[...].
fn frobenius_dot<T>(x: T[B..., M, N], y: T[B..., M, N]) -> (z: acc(T)[B...]) {
    z[b...] = sum[i, j](x[b..., i, j] * y[b..., i, j]);
}

/// sqrt(sum_n x^2) of the last axis: numpy.linalg.norm(x, axis=-1). x: T[..., N] -> acc(T)[...].
fn norm<T>(x: T[B..., N]) -> (z: acc(T)[B...]) { z[b...] = sqrt(sum[n](x[b..., n] * x[b..., n])); }

/// sum_n |x|: norm(x, 1, axis=-1). x: T[..., N] -> acc(T)[...].
fn norm1<T>(x: T[B..., N]) -> (z: acc(T)[B...]) { z[b...] = sum[n](abs(x[b..., n])); }

/// max_n |x|, 0 of none: norm(x, inf, axis=-1). x: T[..., N] -> acc(T)[...].
fn norm_inf<T>(x: T[B..., N]) -> (z: acc(T)[B...]) { z[b...] = max(0, max[n](abs(x[b..., n]))); }

/// (sum_n |x|^p)^(1/p): norm(x, p, axis=-1). x: T[..., N] -> acc(T)[...].
fn norm_p<T>(x: T[B..., N], p: acc(T)) -> (z: acc(T)[B...]) { z[b...] = sum[n](abs(x[b..., n]) ** p) ** (1 / p); }

/// sqrt of the sum of squares of all elements: numpy.linalg.norm(x). x: T[...] -> acc(T)[].
fn norm_all<T>(x: T[B...]) -> (z: acc(T)[]) { z[] = sqrt(sum[b...](x[b...] * x[b...])); }

/// The largest sum of |x| in a column: numpy.linalg.norm(x, 1) of matrices. x: T[..., M, N] -> acc(T)[...].
fn matrix_norm1<T>(x: T[B..., M, N]) -> (z: acc(T)[B...]) { z[b...] = max[j](sum[i](abs(x[b..., i, j]))); }

/// The largest sum of |x| in a row: numpy.linalg.norm(x, inf) of matrices. x: T[..., M, N] -> acc(T)[...].
fn matrix_norm_inf<T>(x: T[B..., M, N]) -> (z: acc(T)[B...]) { z[b...] = max[i](sum[j](abs(x[b..., i, j]))); }

/// The mean of squares' root over the last axis. x: T[..., N] -> acc(T)[...].
fn rms<T>(x: T[B..., N]) -> (z: acc(T)[B...]) { z[b...] = sqrt(mean[n](x[b..., n] * x[b..., n])); }

/// mean_n (x - mean)^2 of the last axis: numpy.var; correction = 1 divides by N - 1, as torch.var does. x: T[..., N] -> acc(T)[...].
fn var<T>(x: T[B..., N], correction: acc(T) = 0) -> (z: acc(T)[B...]) {
    let mu[b...] = mean[n](x[b..., n]);
    z[b...] = sum[n]((x[b..., n] - mu[b...]) ** 2) / (N - correction);
}

/// sqrt(var(x)) of the last axis: numpy.std. x: T[..., N] -> acc(T)[...].
fn std<T>(x: T[B..., N], correction: acc(T) = 0) -> (z: acc(T)[B...]) {
    let v = var(x, correction);
    z[b...] = sqrt(v[b...]);
}

/// Covariances of the rows of x, divided by N - 1: numpy.cov. x: T[M, N] -> acc(T)[M, M].
fn cov<T>(x: T[M, N]) -> (z: acc(T)[M, M]) {
    let mu[i] = mean[n](x[i, n]);
    z[i, j] = sum[n]((x[i, n] - mu[i]) * (x[j, n] - mu[j])) / acc(T)(N - 1);
}

// ---- distances ----

/// x . y / max(|x| |y|, eps), of the last axis: torch.nn.functional.cosine_similarity. x, y: T[..., N] -> acc(T)[...].
fn cosine_similarity<T>(x: T[B..., N], y: T[B..., N], eps: acc(T) = 1e-8) -> (z: acc(T)[B...]) {
    let a[b...] = sum[n](x[b..., n] * x[b..., n]);
    let c[b...] = sum[n](y[b..., n] * y[b..., n]);
    z[b...] = sum[n](x[b..., n] * y[b..., n]) / (max(sqrt(a[b...]), eps) * max(sqrt(c[b...]), eps));
}

/// |x - y + eps| of the last axis: torch.nn.functional.pairwise_distance. x, y: T[..., N] -> acc(T)[...].
fn pairwise_distance<T>(x: T[B..., N], y: T[B..., N], eps: acc(T) = 1e-6) -> (z: acc(T)[B...]) {
    z[b...] = sqrt(sum[n]((x[b..., n] - y[b..., n] + eps) ** 2));
}

/// |x[i] - y[j]| of all pairs of rows: torch.cdist. x: T[..., M, K], y: T[..., N, K] -> acc(T)[..., M, N].
fn cdist<T>(x: T[B..., M, K], y: T[B..., N, K]) -> (z: acc(T)[B..., M, N]) {
    z[b..., i, j] = sqrt(sum[k]((x[b..., i, k] - y[b..., j, k]) ** 2));
}

// ---- small matrices ----

/// Determinant of 2 x 2 matrices. x: T[..., 2, 2] -> acc(T)[...].
fn det2<T>(x: T[B..., 2, 2]) -> (z: acc(T)[B...]) { z[b...] = x[b..., 0, 0] * x[b..., 1, 1] - x[b..., 0, 1] * x[b..., 1, 0]; }

/// Determinant of 3 x 3 matrices, by the first row. x: T[..., 3, 3] -> acc(T)[...].
fn det3<T>(x: T[B..., 3, 3]) -> (z: acc(T)[B...]) {
    z[b...] = sum[i in 0..3](x[b..., 0, i]
        * (x[b..., 1, (i + 1) % 3] * x[b..., 2, (i + 2) % 3] - x[b..., 1, (i + 2) % 3] * x[b..., 2, (i + 1) % 3]));
}

/// Inverse of 2 x 2 matrices. x: T[..., 2, 2] -> acc(T)[..., 2, 2].
fn inv2<T>(x: T[B..., 2, 2]) -> (z: acc(T)[B..., 2, 2]) {
    let d = det2(x);
    z[b..., i, j] = (if i == j then x[b..., 1 - i, 1 - j] else -x[b..., i, j]) / d[b...];
}

/// Inverse of 3 x 3 matrices: cofactors by the determinant. x: T[..., 3, 3] -> acc(T)[..., 3, 3].
fn inv3<T>(x: T[B..., 3, 3]) -> (z: acc(T)[B..., 3, 3]) {
    let d = det3(x);
    z[b..., i, j] = (x[b..., (j + 1) % 3, (i + 1) % 3] * x[b..., (j + 2) % 3, (i + 2) % 3]
        - x[b..., (j + 1) % 3, (i + 2) % 3] * x[b..., (j + 2) % 3, (i + 1) % 3]) / d[b...];
}

// ---- running folds along the last axis ----

/// sum of x[..., 0..n + 1]: numpy.cumsum. x: T[..., N] -> acc(T)[..., N].
fn cumsum<T>(x: T[B..., N]) -> (y: acc(T)[B..., N]) { y[b..., n] = sum[k where k <= n](x[b..., k]); }

/// The sum of the elements before n. x: T[..., N] -> acc(T)[..., N].
fn cumsum_exclusive<T>(x: T[B..., N]) -> (y: acc(T)[B..., N]) { y[b..., n] = sum[k where k < n](x[b..., k]); }

/// The product of x[..., 0..n + 1]: numpy.cumprod. x: T[..., N] -> acc(T)[..., N].
fn cumprod<T>(x: T[B..., N]) -> (y: acc(T)[B..., N]) { y[b..., n] = prod[k where k <= n](x[b..., k]); }

/// The largest of x[..., 0..n + 1]: torch.cummax's values. x: T[..., N] -> T[..., N].
fn cummax<T>(x: T[B..., N]) -> (y: T[B..., N]) { y[b..., n] = T(max[k where k <= n](x[b..., k])); }

/// The least of x[..., 0..n + 1]: torch.cummin's values. x: T[..., N] -> T[..., N].
fn cummin<T>(x: T[B..., N]) -> (y: T[B..., N]) { y[b..., n] = T(min[k where k <= n](x[b..., k])); }

/// x[..., n + 1] - x[..., n]: numpy.diff. x: T[..., N + 1] -> acc(T)[..., N].
fn diff<T>(x: T[B..., N + 1]) -> (y: acc(T)[B..., N]) { y[b..., n] = x[b..., n + 1] - x[b..., n]; }

/// sum_k c[k] x^(K - 1 - k): numpy.polyval. c: T[K], x: T[...] -> acc(T)[...].
fn polyval<T>(c: T[K], x: T[B...]) -> (y: acc(T)[B...]) {
    y[b...] = sum[k](c[k] * (if k == K - 1 then 1.0 else acc(T)(x[b...]) ** acc(T)(K - 1 - k)));
}
