// Updates of what other updates read: one kernel where each thread reads only what it stores itself, before it stores it.
export fn momentum(inout p: f32[N], inout m: f32[N], g: f32[N]) {
    let u[n] = 0.9 * m[n] + g[n];
    m[n] = u[n];
    p[n] = p[n] - u[n];
}
export fn shifted(inout p: f32[N], inout m: f32[N + 1]) {
    m[n + 1] = 0.5 * p[n];
    p[n] = p[n] - m[n];
}
export fn swapped(inout p: f32[N], inout m: f32[N]) {
    p[n] = m[n];
    m[n] = p[n];
}
check momentum(N = 1031);
check shifted(N = 77);
check swapped(N = 77);
