// A straight line through each row's points, with weights; slope, intercept and the share that it explains.
export fn row_regression(x: f32[M, N], y: f32[M, N], w: u8[N]) -> (slope: f32[M], at0: f32[M], r2: f32[M]) {
    let sw[] = f32(max(sum[j](w[j]), 1));
    let mx[i] = sum[j](f32(w[j]) * x[i, j]) / sw[];
    let my[i] = sum[j](f32(w[j]) * y[i, j]) / sw[];
    let xx[i] = sum[j](f32(w[j]) * (x[i, j] - mx[i]) ** 2);
    let xy[i] = sum[j](f32(w[j]) * (x[i, j] - mx[i]) * (y[i, j] - my[i]));
    let yy[i] = sum[j](f32(w[j]) * (y[i, j] - my[i]) ** 2);
    slope[i] = xy[i] / xx[i];
    at0[i] = my[i] - slope[i] * mx[i];
    r2[i] = xy[i] ** 2 / (xx[i] * yy[i]);
}
check row_regression(M = 5, N = 37);
bench row_regression(M = 4001, N = 2500);
