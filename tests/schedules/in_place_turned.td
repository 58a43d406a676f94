// Rows that are changed in place by other elements of their own.
export fn in_place_turned(inout x: f32[M, N], y: f32[N]) {
    let m[i] = max[k](x[i, k]);
    x[i, j] = x[i, N - 1 - j] * y[j] + x[i, max(j - 1, 0)] - m[i];
}
check in_place_turned(M = 0, N = 3);
check in_place_turned(M = 1, N = 1);
check in_place_turned(M = 5, N = 33);
check in_place_turned(M = 7, N = 41);
