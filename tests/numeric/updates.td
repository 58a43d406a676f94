// Accumulation and scatters, guards on old values, and new(p) of an inout that is written in part.
export fn scatter_out(x: f32[N, D], ids: i64[N]) -> (y: f32[M, D]) {
    assume 0 <= ids[n] && ids[n] < M;
    y[ids[n], d] += x[n, d];
}
export fn scatter_in(inout g: bf16[V, D], x: bf16[N, D], ids: i32[N]) {
    assume 0 <= ids[n] && ids[n] < V;
    g[ids[n], d] += x[n, d];
}
export fn bins(x: i32[N]) -> (y: i32[M]) {
    assume 0 <= x[n] && x[n] < M;
    y[x[n]] += 1;
}
export fn most(x: f32[N], ids: i64[N]) -> (y: f32[M]) {
    y[ids[n]] max= x[n] where 0 <= ids[n] && ids[n] < M;
}
export fn fold2(x: f32[2*N]) -> (y: f32[N]) {
    y[i % N] += x[i];
}
export fn two(a: f32[N], b: f32[N], i: i32[N], j: i32[N]) -> (y: f32[M]) {
    assume 0 <= i[n] && i[n] < M && 0 <= j[n] && j[n] < M;
    y[i[n]] += a[n];
    y[j[n]] += b[n];
}
export fn add(inout y: f32[N, M], x: f32[N, M]) {
    y[i, j] += x[i, j];
}
export fn diag(inout y: f32[N, N], x: f32[N]) {
    y[i, i] += x[i];
}
export fn kv(inout c: f32[T, D], k: f32[D], q: f32[D], pos: int) -> (s: f32[T]) {
    require pos < T;
    c[pos, d] = k[d];
    let n = new(c);
    s[t] = sum[d](n[t, d] * q[d]);
}
check scatter_out(N = 37, D = 5, M = 11);
check scatter_out(N = 0, D = 5, M = 11);
check scatter_in(N = 37, D = 5, V = 11);
check bins(N = 100, M = 7);
check most(N = 100, M = 7) with ids in -3..10;
check fold2(N = 9);
check two(N = 37, M = 5);
check add(N = 3, M = 5);
check diag(N = 7);
check kv(T = 9, D = 5, pos = 3);
export fn clip(inout p: f32[N], x: f32[N]) { p[i] = x[i] where p[i] > 0.5 && x[i] < 1.0; }
export fn shift(inout p: bf16[N], x: f32[N]) { p[i + 1] = x[i] where i + 1 < N && p[i] > 0.0; }
export fn swap(inout p: f32[N], inout q: f32[N]) { p[i] = q[i] where q[i] > p[i]; q[i] = p[i] where q[i] > p[i]; }
export fn count(inout p: i32[N], x: i32[N]) { p[i] = 1 where p[i] < sum[k](x[k]); }
check clip(N = 37);
check shift(N = 37);
check swap(N = 37);
check count(N = 9);
check scatter_in(N = 1, D = 1, V = 1);
check bins(N = 0, M = 3);
check diag(N = 0);
// Guards on what has changed by the time a staged update is copied back, and pieces that share what they read.
export fn turn(inout p: f32[N], m: f32[N]) {
    p[i] = p[N - 1 - i] where m[i] > 0.0;
}
export fn turn2(inout p: f32[N], inout q: f32[N]) {
    p[i] = q[N - 1 - i] where q[i] > 0.0;
    q[i] = p[N - 1 - i] where p[i] > 0.5;
}
check turn(N = 37);
check turn2(N = 37);
export fn t3(inout p: f32[N]) {
    p[i] = p[N - 1 - i] where p[i] > 0.0;
    p[i] = 2.0 * p[N - 1 - i] where !(p[i] > 0.0);
}
export fn t4(inout p: f32[N], inout q: f32[N]) {
    p[i] = q[N - 1 - i] where q[i] > 0.0;
    p[i] = 3.0 * q[N - 1 - i] where !(q[i] > 0.0);
    q[i] = p[N - 1 - i] where p[i] > 0.5;
}
check t3(N = 37);
check t4(N = 37);
