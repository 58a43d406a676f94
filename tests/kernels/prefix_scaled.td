// Twice what precedes, and the element.
export fn prefix_scaled(x: f32[M, N]) -> (y: f32[M, N]) {
    y[r, n] = sum[k where k < n](x[r, k]) * 2.0 + x[r, n];
}

check prefix_scaled(M = 5, N = 7);
check prefix_scaled(M = 9, N = 30);
