// Dimensions of a callee that are solved from sums and products.
fn s1(x: f32[2*H + 1]) -> (y: f32[H]) { y[i] = x[2*i + 1] - x[2*i]; }
fn s2(x: f32[A*C], a: f32[A]) -> (y: f32[A, C]) { y[i, j] = x[i*C + j] * a[i]; }
fn s3(x: f32[3*(Q - 1)]) -> (y: f32[Q]) { y[q] = if q == 0 then 0.0 else x[3*(q - 1)]; }
fn s4(x: f32[N], y: f32[N*M]) -> (z: f32[N]) { z[n] = x[n] * sum[m in 0..M](y[n*M + m]); }
export fn b1(x: f32[2*N + 1], y: f32[6*N], a: f32[3]) -> (p: f32[N], q: f32[3, 2*N], r: f32[2*N + 1], s: f32[3]) {
    p = s1(x);
    q = s2(y, a);
    r = s3(y);
    s = s4(a, y);
    require N > 0;
}
export fn b2(x: f32[N]) -> (y: f32[N/2]) { require N % 2 == 1 && N >= 3; y = s1(x); }
check b1(N = 4);
check b2(N = 9);
check b2(N = 8) error "N";
export fn narrow(x: f32[N], a: f16, b: bf16, c: f8e4m3, d: f8e5m2 = 0.3) -> (y: f32[N], z: f32[N]) { y[n] = x[n] * 0 + f32(a) + f32(b) * 2; z[n] = f32(c) - f32(d); }
check narrow(N = 3, a = 0.1, b = 0.1, c = 0.3) tol 1e-7;
