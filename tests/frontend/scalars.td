// Scalar functions, literals, powers, conditions, integers beside floats.
fn softplus(x) = max(x, 0) + log1p(exp(-abs(x)));
fn mish(x: f32) -> f32 = x * tanh(softplus(x));
fn quad(x, a: f32 = 1.0) { let h: bf16 = a * x; let q = h * h + 1; return if q > 2 then q else -q; }

export fn mixed(x: bf16[M, N], k: i8[M], flag: bool[N], step: i32, lr: f16 = 0.5) -> (y: bf16[M, N], z: f64[M], c: i32[M], f: bool[N], p: i64[M, N]) {
    y[i, j] = mish(x[i, j]) + quad(x[i, j], a = 2) ** 3 + (i + 1) * 0.5 + lr;
    z[i] = f32(k[i]) / f32(N) + f64(step) ** 2 + (i * 2 - 1) / 3.0;
    c[i] = sum[j](flag[j] && x[i, j] > 0) + k[i] * 2;
    f[j] = any[i](isnan(x[i, j])) || all[i](k[i] == 0 || flag[j]);
    p[i, j] = flat(i, j) + (i - 3) / 2 * M % 7 + argmin[q](x[i, q]);
}

export fn saturate(x: f32[N]) -> (q: i8[N], w: u4[2*N], e: f8e4m3[N]) {
    q[n] = i8(clamp(round(x[n] * 127), -128, 127));
    w[m] = u4(x[m / 2]);
    e[n] = x[n];
}
