// Elements of what is updated in place that keep their values: ends of ranges, whole rows, single ones.
export fn ends(inout x: f16[M, N], V: int, W: int) {
    require W <= V && V <= N && 0 <= W;
    x[i, j] = if j < V then (if j < W then x[i, j] else x[i, j] * 2.0) else x[i, j];
}
check ends(M = 5, N = 37, V = 30, W = 3);
check ends(M = 5, N = 32, V = 32, W = 32);
check ends(M = 1, N = 1, V = 0, W = 0);

export fn rows(inout x: f32[M, N], on: bool[M]) {
    let s[i] = sum[j](x[i, j]);
    x[i, j] = if !on[i] then x[i, j] else x[i, j] / (s[i] ** 2 + 1.0);
}
check rows(M = 7, N = 37);
check rows(M = 3, N = 1024);
check rows(M = 0, N = 5);

export fn mixed(inout x: f32[M, N], on: bool[M], f: bool[M, N]) {
    x[i, j] = if on[i] then (if f[i, j] then 0.0 else x[i, j]) else x[i, j];
}
check mixed(M = 7, N = 37);

export fn beyond(inout x: i8[N], V: int) { x[j] = i8(if j < V then 7 else x[j]); }
check beyond(N = 37, V = 40);
check beyond(N = 37, V = 3);

export fn given(inout x: f32[M, N]) {
    require N >= 7;
    x[i, j] = 0.5 * x[i, j] where 3 <= j && j <= 5 && i != 1;
}
check given(M = 3, N = 7);
check given(M = 1, N = 70);
