// Extremes and sums of rows.
export fn atomic_types(x: f32[M, N], w: f64[M, N], i: i64[M, N], u: u32[M, N]) -> (xm: f32[M], wm: f64[M], im: i64[M], is: i64[M], um: u32[M], us: u32[M]) {
    xm[r] = max[n](x[r, n]);
    wm[r] = min[n](w[r, n]);
    im[r] = max[n](i[r, n]);
    is[r] = sum[n](i[r, n]);
    um[r] = min[n](u[r, n]);
    us[r] = sum[n](u[r, n]);
}

check atomic_types(M = 5, N = 7) tol 0.0;
check atomic_types(M = 3, N = 300) tol 0.0;
