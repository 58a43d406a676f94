// Few results, each from a long axis: where splitting the sum is what a schedule would do.
/// A matrix times a vector, a few rows of many columns.
export fn longrow(m: f32[R, L], v: f32[L]) -> (out: f32[R]) {
    out[r] = sum[l](m[r, l] * v[l]);
}





/// The transposed matrix times a vector, in bf16: the long axis is the strided one; and the norm of the vector.
export fn longcolumn(m: bf16[L, R], v: bf16[L]) -> (out: f32[R], norm: f32[]) {
    out[r] = sum[l](m[l, r] * v[l]);
    norm[] = sqrt(sum[l](v[l] * v[l]));
}





check longcolumn(L = 0, R = 0);
check longcolumn(L = 0, R = 1);
check longcolumn(L = 0, R = 263);
check longcolumn(L = 0, R = 3);
check longcolumn(L = 0, R = 5);
check longcolumn(L = 1, R = 0);
check longcolumn(L = 1, R = 1);
check longcolumn(L = 1, R = 263);
check longcolumn(L = 1, R = 3);
check longcolumn(L = 1, R = 5);
check longcolumn(L = 7, R = 0);
check longcolumn(L = 7, R = 1);
check longcolumn(L = 9001, R = 0);
check longcolumn(L = 9001, R = 1);
check longrow(R = 0, L = 0);
check longrow(R = 0, L = 1);
check longrow(R = 0, L = 1025);
check longrow(R = 0, L = 30011);
check longrow(R = 1, L = 0);
check longrow(R = 1, L = 1);
check longrow(R = 1, L = 1025);
check longrow(R = 1, L = 30011);
check longrow(R = 3, L = 0);
check longrow(R = 3, L = 1);
check longrow(R = 37, L = 0);
check longrow(R = 37, L = 1);
check longrow(R = 4, L = 0);
check longrow(R = 4, L = 1);
