// A row in place, and an element of it at a place that is data.
export fn in_place_gathered(inout x: f32[M, P], at: i32[M], N: int) -> (y: f32[M]) {
    require N <= P && 1 <= N;
    assume 0 <= at[i] && at[i] < N;
    y[i] = x[i, at[i]];
    x[i, j] = if j < N then x[i, j] - max[k in N](x[i, k]) + x[i, at[i]] else x[i, j];
}
check in_place_gathered(M = 5, P = 40, N = 37);
check in_place_gathered(M = 0, P = 3, N = 2);
check in_place_gathered(M = 3, P = 130, N = 130);
