// A divisor that may be 0: x / 0 and x % 0 are 0, and an empty tensor has no element 0.
export fn remainder(x: f32[N], s: f32[C]) -> (y: f32[N]) {
    y[i] = x[i] * s[i % C]; // expect error[E0602]: beyond C for C = 0, N = 1, i = 0
}
export fn quotient(x: f32[N], s: f32[G]) -> (y: f32[N]) {
    y[i] = x[i] * s[i / N * G % G]; // expect error[E0602]: for G = 0, N = 1, i = 0
}
export fn product(x: f32[N], s: f32[A, B]) -> (y: f32[N]) {
    y[i] = s[i % (A*B) / B, i % B] * x[i]; // expect error[E0602]: beyond A for A = 0
}
export fn condition(x: f32[N], s: f32[C]) -> (y: f32[N]) {
    y[i] = if i % C >= C then s[i] else x[i]; // expect error[E0602]: beyond C for C = 0
}
export fn guard(x: f32[N], s: f32[C]) -> (y: f32[N]) {
    y[i] = sum[k in 0..3 where k % C == k](s[k]) + x[i]; // expect error[E0602]: beyond C for C = 0, k = 0
}
export fn data(x: f32[C], id: i32[N]) -> (y: f32[N]) {
    y[n] = x[id[n] % C]; // expect error[E0605]: id[n] % C
}
export fn length(x: f32[W], S: int) -> (y: f32[W]) {
    let n[i in (W - 3) / S + 1] = max[r in 0..3](x[i*S + r]); // expect error[E0602]: for W = 0, S = 0
    y[i] = sum[k](n[k]);
}
export fn either(x: f32[C], s: f32[G]) -> (y: f32[C]) {
    require G == 0 || C % G == 0;
    y[c] = x[c] * s[c / (C / G)]; // expect error[E0602]: beyond G for G = 0
}
export fn signed(x: f32[N], m: i32[N]) -> (y: f32[N]) {
    assume 0 <= m[n] && m[n] < N;
    y[n] = x[n % m[n]]; // no error: 0 is in range
}

// Near misses, all right.
dim L in 1..;
export fn stated(x: f32[N], s: f32[L], t: f32[C], u: f32[A, B]) -> (y: f32[N]) {
    require C > 0;
    require A*B > 0;
    y[i] = x[i] * s[i % L] * t[i % C] * u[i % (A*B) / B, i % B];
}
export fn inside(x: f32[B*C], s: f32[C], t: f32[B]) -> (y: f32[B*C], z: f32[B, C]) {
    y[i] = s[i % C] * t[i / C];
    z[i, j] = s[(i + j) % C] * t[(i + j) % B];
}
export fn divisible(x: f32[C], s: f32[G]) -> (y: f32[C]) {
    require C % G == 0;
    y[c] = x[c] * s[c / (C / G)];
}
export fn constant(x: f32[4], C: int) -> (y: f32[N]) {
    require N <= 4;
    y[i] = x[i / C] + x[i % C];
}
