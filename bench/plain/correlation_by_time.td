// The correlation of two fields over the ensemble and the longitudes, first and last axis, by time and latitude.
export fn correlation_by_time(x: bf16[E, T, H, W], y: bf16[E, T, H, W]) -> (r: f32[T, H]) {
    let mx[t, i] = mean[e, j](x[e, t, i, j]);
    let my[t, i] = mean[e, j](y[e, t, i, j]);
    let xy[t, i] = mean[e, j]((x[e, t, i, j] - mx[t, i]) * (y[e, t, i, j] - my[t, i]));
    let xx[t, i] = mean[e, j]((x[e, t, i, j] - mx[t, i]) ** 2);
    let yy[t, i] = mean[e, j]((y[e, t, i, j] - my[t, i]) ** 2);
    r[t, i] = xy[t, i] * rsqrt(xx[t, i] * yy[t, i]);
}
check correlation_by_time(E = 3, T = 5, H = 7, W = 11);
bench correlation_by_time(E = 10, T = 24, H = 181, W = 360);
