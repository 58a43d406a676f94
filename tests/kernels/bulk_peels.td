// Rows of any length less their greatest, several of a block's at once.
export fn bulk_peels(x: f16[M, N]) -> (y: f16[M, N]) {
    let m[r] = max[n](x[r, n]);
    y[r, n] = x[r, n] - m[r];
}

check bulk_peels(M = 1, N = 1);
check bulk_peels(M = 3, N = 0);
check bulk_peels(M = 13, N = 505);
check bulk_peels(M = 14, N = 64);
check bulk_peels(M = 29, N = 61);
