// What else reads rows that are updated in place is stored by the kernel that updates them.
export fn unit_rows(inout x: f32[M, N]) -> (norm: f32[M]) {
    norm[i] = sqrt(sum[j](x[i, j] * x[i, j]));
    x[i, j] = x[i, j] / norm[i];
}
check unit_rows(M = 5, N = 37);
check unit_rows(M = 1, N = 20000);
check unit_rows(M = 0, N = 3);
check unit_rows(M = 2, N = 1);

// the update waits for no fold, but the second fold for the first: it reads what was there before
export fn spread(inout x: f32[M, N]) -> (mu: f32[M], var: f32[M]) {
    mu[i] = mean[j](x[i, j]);
    var[i] = mean[j]((x[i, j] - mu[i]) ** 2);
    x[i, j] = 2.0 * x[i, j];
}
check spread(M = 5, N = 37);
check spread(M = 1, N = 30000);
check spread(M = 0, N = 3);

export fn norm_in_place(inout x: f16[M, N], w: f32[N]) -> (mu: f32[M], rs: f32[M]) {
    mu[i] = mean[j](x[i, j]);
    rs[i] = rsqrt(mean[j]((x[i, j] - mu[i]) ** 2) + 0.00001);
    x[i, j] = (x[i, j] - mu[i]) * rs[i] * w[j];
}
check norm_in_place(M = 5, N = 37);
check norm_in_place(M = 2, N = 1024);

// another tensor of the same elements, too; columns are another kernel's
export fn both(inout x: f16[M, N]) -> (y: f32[M, N], top: f16[M], col: f32[N]) {
    top[i] = max[j](x[i, j]);
    y[i, j] = x[i, j] - top[i];
    col[j] = sum[i](x[i, j]);
    x[i, j] = x[i, j] * 0.5 + top[i];
}
check both(M = 5, N = 37);
check both(M = 3, N = 2050);
check both(M = 0, N = 3);
check both(M = 1, N = 1);

// all three are changed by the kernel that folds what they were before
export fn rows_of_lamb(inout p: f32[M, N], inout m: f32[M, N], inout v: f32[M, N], g: f32[M, N], rate: f32) {
    let mn[i, j] = 0.9 * m[i, j] + 0.1 * g[i, j];
    let vn[i, j] = 0.999 * v[i, j] + 0.001 * g[i, j] * g[i, j];
    let u[i, j] = mn[i, j] * rsqrt(vn[i, j] + 0.000001) + 0.01 * p[i, j];
    let un[i] = sqrt(sum[j](u[i, j] ** 2));
    let pn[i] = sqrt(sum[j](p[i, j] ** 2));
    p[i, j] = p[i, j] - rate * (if un[i] > 0.0 then pn[i] / un[i] else 1.0) * u[i, j];
    m[i, j] = mn[i, j];
    v[i, j] = vn[i, j];
}
check rows_of_lamb(M = 5, N = 37, rate = 0.1) with v in 0.0..1.0;
check rows_of_lamb(M = 0, N = 37, rate = 0.1) with v in 0.0..1.0;
check rows_of_lamb(M = 1, N = 30000, rate = 0.1) with v in 0.0..1.0;
