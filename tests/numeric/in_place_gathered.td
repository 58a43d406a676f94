// Elements at places that are data of rows that are changed in place: the kernel that changes a row finds them in it.
export fn gradient_of_loss(inout x: f32[N, V], at: i32[N]) -> (loss: f32[N]) {
    assume 0 <= at[n] && at[n] < V;
    let m[n] = max[v](x[n, v]);
    let s[n] = sum[v](exp(x[n, v] - m[n]));
    loss[n] = log(s[n]) + m[n] - x[n, at[n]];
    x[n, v] = (exp(x[n, v] - m[n]) / s[n] - (if v == at[n] then 1.0 else 0.0)) / N;
}
check gradient_of_loss(N = 5, V = 37);
check gradient_of_loss(N = 1, V = 20001);
check gradient_of_loss(N = 2, V = 1);
check gradient_of_loss(N = 0, V = 5);

// rows have padding, which stays; some places are none
export fn ignored(inout x: f16[N, P], at: i32[N], V: int) -> (loss: f32[N]) {
    require 1 <= V && V <= P;
    assume at[n] == -100 || 0 <= at[n] && at[n] < V;
    let m[n] = max[v in V](x[n, v]);
    let s[n] = sum[v in V](exp(x[n, v] - m[n]));
    loss[n] = if at[n] == -100 then 0.0 else log(s[n]) + m[n] - x[n, at[n]];
    x[n, v] = if v < V && at[n] != -100 then exp(x[n, v] - m[n]) / s[n] - (if v == at[n] then 1.0 else 0.0)
              else x[n, v];
}
check ignored(N = 5, P = 40, V = 37);
check ignored(N = 3, P = 1024, V = 1024);
check ignored(N = 7, P = 9, V = 1);

// several of a row, in what is stored and in what is changed, one at a place that may be none, one at one that is no data
export fn several(inout x: f32[M, N], a: i32[M], b: u8[M]) -> (y: f32[M], z: f32[M, N]) {
    assume 0 <= a[i] && a[i] < N;
    y[i] = x[i, a[i]] * pad(x[i, b[i]], 3.0);
    z[i, j] = x[i, a[i]] + x[i, j];
    x[i, j] = x[i, j] - x[i, a[i]] + max[k](x[i, k]) + x[i, 0];
}
check several(M = 5, N = 3);
check several(M = 3, N = 1026);

// the sign of a zero is found, too
export fn signs(inout x: f32[M, N], at: i32[M]) -> (y: f32[M]) {
    assume 0 <= at[i] && at[i] < N;
    y[i] = 1.0 / x[i, at[i]];
    x[i, j] = x[i, j] - max[k](x[i, k]);
}
check signs(M = 5, N = 37) with x in -0.0..0.0;
check signs(M = 5, N = 37);

export fn flags(inout x: bool[M, N], at: i32[M]) -> (y: bool[M], n: i64[M]) {
    assume 0 <= at[i] && at[i] < N;
    n[i] = sum[j](if x[i, j] then 1 else 0);
    y[i] = x[i, at[i]];
    x[i, j] = x[i, j] && !x[i, at[i]];
}
check flags(M = 5, N = 37);

// a place of two subscripts; and such that are other rows', or others for each element, which stay loads before
export fn squares(inout x: f32[B, M, N], at: i32[B], to: i32[B]) -> (y: f32[B]) {
    assume 0 <= at[b] && at[b] < M && 0 <= to[b] && to[b] < N;
    let s[b] = sum[i, j](x[b, i, j]);
    y[b] = x[b, at[b], to[b]];
    x[b, i, j] = x[b, i, j] / (s[b] ** 2 + 1.0);
}
check squares(B = 3, M = 5, N = 7);
export fn others(inout x: f32[M, N], at: i32[M], p: i32[N]) -> (y: f32[M], z: f32[M, N]) {
    assume 0 <= at[i] && at[i] < M && 0 <= p[j] && p[j] < N;
    require N >= 1;
    y[i] = x[at[i], 0];
    z[i, j] = x[i, p[j]];
    x[i, j] = x[i, j] / (sum[k](x[i, k] * x[i, k]) + 1.0);
}
check others(M = 5, N = 37);

// no row is folded: a column and a row are stored before
export fn less_others(inout x: f32[M, N], at: i32[M]) {
    require M >= 1;
    assume 0 <= at[i] && at[i] < N;
    x[i, j] = x[i, j] - x[i, at[i]] + x[0, j];
}
check less_others(M = 5, N = 37);
check less_others(M = 1, N = 1);
// nothing is stored of what may not be there
export fn less_perhaps(inout x: f32[M, N], at: i32[M]) { x[i, j] = x[i, j] - pad(x[i, at[i]], 1.0) + x[0, j]; }
check less_perhaps(M = 5, N = 37);
check less_perhaps(M = 0, N = 37);
check less_perhaps(M = 3, N = 0);
