// Twice a matrix.
export fn copy_narrow(x: f32[M, N]) -> (y: f32[M, N]) {
    y[r, n] = x[r, n] * 2.0;
}

check copy_narrow(M = 1, N = 1);
check copy_narrow(M = 5, N = 512);
check copy_narrow(M = 7, N = 333);
