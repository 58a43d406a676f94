// Entries for tests/python: every kind of argument that Python passes.
dim N in 0..=1048576;

/// y = a x + y, in place.
export fn axpy(x: f32[N], inout y: f32[N], a: f32 = 2.0) { y[i] += a * x[i]; }

export fn rows(x: bf16[M, 8 * K]) -> (s: f32[M], t: bf16[M, K]) {
    s[i] = sum[j](f32(x[i, j]));
    t[i, k] = max[j in 0..8](x[i, 8 * k + j]);
}

// Several kernels, with temporaries in the workspace.
export fn portion(x: f32[M, N]) -> (y: f32[M, N]) {
    let total[] = sum[i, j](x[i, j]);
    y[i, j] = x[i, j] / total[];
}

export fn share(x: f32[N]) -> (y: f32[N]) {
    let total[] = sum[i](x[i]);
    y[i] = x[i] / total[];
}

export fn count(n: int, start: f32 = 0.0, step: i32) -> (t: f32[n / 2 + 1]) { t[i] = start + f32(i * step); }

export fn dot(x: f64[N], y: f64[N]) -> (d: f64[]) { d[] = sum[i](x[i] * y[i]); }

export fn narrow(x: f8e4m3[N]) -> (y: f8e5m2[N]) { y[i] = 2 * f32(x[i]); }

export fn plus(x: i4[N], n: i32) -> (y: i4[N]) { y[i] = i4(x[i] + n); }

export fn above(x: i32[N], t: i64, flip: bool = false) -> (b: bool[N]) { b[i] = (i64(x[i]) > t) != flip; }

export fn few(x: f32[L]) -> (y: f32[L]) {
    require L <= 100, "at most a hundred";
    y[i] = -x[i];
}

// A matrix product, which cuBLASLt computes.
export fn product(x: bf16[M, K], w: bf16[K, N]) -> (y: f32[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); }

export fn rate(step: i32, n: int, peak: f32 = 1.0) -> f32 = peak * min(f32(step) / n, 1.0);
