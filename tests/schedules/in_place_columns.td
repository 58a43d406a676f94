// Sums of columns that are added to what is there.
export fn in_place_columns(inout w: f32[N], inout b: f16[N], x: f16[M, N]) {
    w[j] += sum[i](x[i, j]);
    b[j] = b[j] * 0.5 + max[i](x[i, j]);
}
check in_place_columns(M = 37, N = 5);
check in_place_columns(M = 0, N = 3);
check in_place_columns(M = 130, N = 33);
