export fn unknown(x: f32[N]) -> (y: f32[N]) {
    y[i] = sum[k](x[2 * k]); // expect error[E0600]: k
}
export fn disagree(x: f32[N], w: f32[M]) -> (y: f32[]) {
    y[] = sum[k](x[k] * w[k]); // expect error[E0601]: k
}
export fn outside(x: f32[N]) -> (y: f32[N]) {
    y[i] = x[i + 1]; // expect error[E0602]: x
}
export fn gather(x: f32[V], t: i64[N]) -> (y: f32[N]) {
    y[i] = x[t[i]]; // expect error[E0605]: x
}
export fn cycle(x: f32[N]) -> (y: f32[N]) {
    let a[i] = b[i] + x[i]; // expect error[E0700]: a
    let b[i] = a[i];
    y[i] = b[i];
}
export fn undefined(x: f32[N]) -> (y: f32[N], z: f32[N]) { // expect error[E0701]: z
    y[i] = x[i];
}
export fn endless(n: i32[B]) -> (y: f32[B]) {
    y[b] = sum[j in 0..n[b]](1.0); // expect error[E0603]: nothing bounds the range of j: its end, n[b],
}
export fn bounded(n: i32[B], N: int) -> (y: f32[B]) {
    assume 0 <= n[b] && n[b] <= N;
    y[b] = sum[j in 0..n[b]](1.0);
}
export fn last(x: f32[M, N], m: i32[M]) -> (y: f32[M], z: f32[M, N]) {
    y[i] = x[i, N - 1]; // expect error[E0602]: x
    z[i, j] = x[i, N - 1] + x[m[i], 0]; // expect error[E0605]: x
}
// A let's range from the equations that read it: they must agree, and a read by numbers or inside pad says nothing.
export fn readers_disagree(a: f32[M], b: f32[N]) -> (y: f32[M], z: f32[N]) {
    let t[i] = f32(i) * 2; // expect error[E0601]: the equations that read t disagree about i: 0..M and 0..N
    y[i] = a[i] + t[i];
    z[i] = b[i] + t[i];
}
export fn readers_silent(x: f32[N]) -> (y: f32[N]) {
    let t[i] = 1.0; // expect error[E0600]: nothing says how far i runs
    y[n] = x[n] + pad(t[n], 0.0) + t[2];
}
export fn readers_cross(x: f32[N]) -> (y: f32[N]) {
    let t[i] = if i > 0 then u[i] else 1.0; // expect error[E0600]: nothing says how far i runs
    let u[i] = if i > 0 then t[i] else 1.0; // expect error[E0600]: nothing says how far i runs
    y[n] = x[n] + t[0];
}
// clause 8.6
export fn named_condition(x: f32[N], k: i32[M], w: bool[M]) -> (y: f32[M]) {
    let ok[m] = 0 <= k[m] && k[m] < N || w[m];
    y[m] = if ok[m] then x[k[m]] else 0; // expect error[E0605]: x[k[m]]
}
// clause 8.5
export fn odd_length(x: f32[D], z: f32[D]) -> (y: f32[D], u: f32[D]) {
    y[d] = if d % 2 == 0 then x[d/2*2 + 1] else x[d/2*2]; // expect error[E0602]: for D = 3, d = 2
    u[d] = if d % 3 == 0 then z[d + 2] else 0.0; // expect error[E0602]: beyond D
}
