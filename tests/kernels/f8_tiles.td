// 8-bit floats, of one tensor transposed and of one along rows.
export fn f8_tiles(x: f8e4m3[M, N], w: f8e4m3[M, N]) -> (y: f8e5m2[N, M], z: f8e4m3[M, N]) {
    y[n, r] = x[r, n] * 2.0;
    z[r, n] = f8e4m3(w[r, n] * 0.5) + 1.0;
}

check f8_tiles(M = 1, N = 1) tol 0.0;
check f8_tiles(M = 77, N = 40) tol 0.0;
check f8_tiles(M = 67, N = 61) tol 0.0;
check f8_tiles(M = 20, N = 64) tol 0.0;
