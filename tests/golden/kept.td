// What keeps its value is not stored: ends of ranges, whole rows, one under the other. Elements beside each other are.
export fn ends(inout x: f16[M, N], V: int, W: int) {
    require W <= V && V <= N && 0 <= W;
    x[i, j] = if j < V then (if j < W then x[i, j] else x[i, j] * 2.0) else x[i, j];
}
export fn rows(inout x: f32[M, N], on: bool[M]) { x[i, j] = if !on[i] then x[i, j] else x[i, j] + 1.0; }
export fn mixed(inout x: f32[M, N], on: bool[M], f: bool[M, N]) {
    x[i, j] = if on[i] then (if f[i, j] then 0.0 else x[i, j]) else x[i, j];
}
export fn beyond(inout x: f32[N], V: int) { x[j] = if j < V then 0.0 else x[j]; }
export fn given(inout x: f32[M, N]) {
    require N >= 7;
    x[i, j] = 0.5 * x[i, j] where 3 <= j && j <= 5 && i != 1;
}
