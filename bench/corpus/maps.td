// Maps: an element of the result reads a few elements, at the same place or at none of it.
export fn map_scale(x: f32[N]) -> (y: f32[N]) { y[i] = 0.5 * x[i] + 1.0; }
bench map_scale(N = 33554432);
bench map_scale(N = 1048577);
bench map_scale(N = 100000003);
bench map_scale(N = 8388608);

export fn map_add(a: bf16[M, N], b: bf16[M, N]) -> (y: bf16[M, N]) { y[i, j] = a[i, j] + b[i, j]; }
bench map_add(M = 4096, N = 8192);
bench map_add(M = 1000, N = 1023);
bench map_add(M = 65536, N = 511);
bench map_add(M = 12345, N = 4096);
bench map_add(M = 200, N = 200000);

export fn map_bias_relu(x: f16[M, N], b: f16[N]) -> (y: f16[M, N]) { y[i, j] = max(x[i, j] + b[j], 0); }
bench map_bias_relu(M = 16384, N = 4096);
bench map_bias_relu(M = 262144, N = 96);
bench map_bias_relu(M = 4096, N = 1021);
bench map_bias_relu(M = 50000, N = 1000);

export fn map_outer(a: f32[M], b: f32[N]) -> (y: bf16[M, N]) { y[i, j] = a[i] * b[j]; }
bench map_outer(M = 8192, N = 8192);
bench map_outer(M = 100000, N = 250);
bench map_outer(M = 3000, N = 20001);
bench map_outer(M = 16, N = 4194304);

export fn map_mix(a: bf16[N], b: bf16[N], t: f32[N], m: bool[N]) -> (y: f32[N], z: bf16[N]) {
    y[i] = if m[i] then t[i] * (a[i] - b[i]) + b[i] else t[i];
    z[i] = a[i] * sigmoid(b[i]);
}
bench map_mix(N = 16777216);
bench map_mix(N = 3000001);
bench map_mix(N = 40000000);

export fn map_complex(a: f32[N, 2], b: f32[N, 2]) -> (y: f32[N, 2]) {
    y[i, 0] = a[i, 0] * b[i, 0] - a[i, 1] * b[i, 1];
    y[i, 1] = a[i, 0] * b[i, 1] + a[i, 1] * b[i, 0];
}
bench map_complex(N = 8388608);
bench map_complex(N = 1000003);
bench map_complex(N = 20000000);

export fn map_gates(g: f16[M, 4, N], c: f32[M, N]) -> (h: f16[M, N], d: f32[M, N]) {
    let s[i, j] = sigmoid(g[i, 1, j]) * c[i, j] + sigmoid(g[i, 0, j]) * tanh(g[i, 2, j]);
    d[i, j] = s[i, j];
    h[i, j] = sigmoid(g[i, 3, j]) * tanh(s[i, j]);
}
bench map_gates(M = 4096, N = 2048);
bench map_gates(M = 513, N = 1000);
bench map_gates(M = 16384, N = 512);
bench map_gates(M = 1000, N = 4099);
