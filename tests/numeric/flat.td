// Maps whose accesses walk several axes as one: the kernel has one axis of them, and a tensor of the inner one alone is
// read by whole vectors where its rows hold whole vectors, else element by element.
export fn relu(x: f16[M, N]) -> (y: f16[M, N]) { y[i, j] = max(x[i, j], 0.0); }
export fn biased(x: bf16[M, N], b: f16[N]) -> (y: bf16[M, N]) { y[i, j] = x[i, j] + b[j]; }
export fn deep(x: f32[B, M, N], s: f32[N], b: f32[N]) -> (y: f32[B, M, N]) { y[i, j, k] = x[i, j, k] * s[k] + b[k]; }
export fn channels_first(x: f32[B, C, H, W], b: f32[C]) -> (y: f32[B, C, H, W]) { y[n, c, h, w] = x[n, c, h, w] + b[c]; }
export fn rows(x: f32[M, N], s: f32[M]) -> (y: f32[M, N]) { y[i, j] = x[i, j] * s[i]; }
export fn gated(x: f16[M, N], z: f16[M, N]) -> (y: f16[M, N]) { y[i, j] = if x[i, j] > 0.0 then z[i, j] else 0.0; }
export fn known(x: f32[M, 1024], b: f32[1024]) -> (y: f32[M, 1024]) { y[i, j] = x[i, j] + b[j]; }
export fn three(x: i8[M, 3], b: i8[3]) -> (y: i8[M, 3]) { y[i, j] = i8(x[i, j] * b[j]); }
export fn halves(x: f32[M, 2*N]) -> (y: f32[M, N]) { y[i, j] = x[i, j] * x[i, j + N]; }
export fn nibbles(x: i4[M, N], z: i4[M, N]) -> (y: i4[M, N]) { y[i, j] = i4(max(x[i, j], z[i, j])); }
export fn turned(x: f32[A, B, C]) -> (y: f32[C, A, B]) { y[c, a, b] = x[a, b, c]; }
export fn scaled(inout x: f32[M, N], b: f32[N]) { x[i, j] *= b[j]; }
export fn numbered(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = x[i, j] + 10 * i + j; }
export fn line(x: f32[N], z: f16[N]) -> (y: f16[N]) { y[i] = x[i] + z[i]; }
export fn mixed(x: f32[M, N], s: f32[N], b: f16[N], m: bool[M, N]) -> (y: bf16[M, N]) {
    y[i, j] = if m[i, j] then x[i, j] * s[j] else b[j];
}

check relu(M = 33, N = 17);
check relu(M = 7, N = 8);
check relu(M = 1, N = 1);
check relu(M = 0, N = 5);
check relu(M = 5, N = 0);
check biased(M = 37, N = 24);
check biased(M = 37, N = 7);
check biased(M = 300, N = 1);
check deep(B = 3, M = 5, N = 16);
check deep(B = 3, M = 5, N = 7);
check deep(B = 2, M = 1, N = 4);
check deep(B = 9, M = 0, N = 4);
check channels_first(B = 3, C = 4, H = 5, W = 3);
check rows(M = 9, N = 33);
check gated(M = 9, N = 24);
check gated(M = 9, N = 23);
check known(M = 3);
check three(M = 100);
check halves(M = 5, N = 9);
check nibbles(M = 5, N = 9);
check nibbles(M = 4, N = 16);
check turned(A = 3, B = 5, C = 9);
check scaled(M = 11, N = 40);
check scaled(M = 11, N = 41);
check numbered(M = 11, N = 40);
check line(N = 1003);
check line(N = 4096);
check line(N = 7);
check mixed(M = 5, N = 7);
check mixed(M = 5, N = 12);
check mixed(M = 37, N = 40);

// A tensor of the outer axis alone is read at the quotient, once a vector where rows hold whole vectors.
export fn outer(x: bf16[M, N], s: f32[M]) -> (y: bf16[M, N]) { y[i, j] = f32(x[i, j]) * s[i]; }
export fn channels(x: f16[B, C, H, W], s: f32[C], b: f32[C]) -> (y: f16[B, C, H, W]) {
    y[n, c, h, w] = max(f32(x[n, c, h, w]) * s[c] + b[c], 0.0);
}
export fn squares(x: f16[B, C, 49], s: f32[C]) -> (y: f16[B, C, 49]) { y[n, c, h] = f32(x[n, c, h]) * s[c]; }
export fn dropped(x: f32[B, C, H, W], s: f32[B, C], t: f32[B]) -> (y: f32[B, C, H, W]) {
    y[n, c, h, w] = x[n, c, h, w] * s[n, c] + t[n];
}
export fn quantized(x: i8[M, N], s: f32[M], t: f32[N]) -> (y: bf16[M, N]) { y[i, j] = f32(x[i, j]) * s[i] * t[j]; }
export fn differences(s: f32[M], t: f32[N]) -> (y: f32[M, N]) { y[i, j] = s[i] - t[j]; }
export fn strided(x: bf16[M, N], s: f32[M, 3], t: f32[2*M]) -> (y: bf16[M, N]) {
    y[i, j] = f32(x[i, j]) * s[i, 2] + s[i, 0] - t[2*i + 1];
}
export fn chosen(x: f32[M, N], s: f32[M]) -> (y: f32[M, N]) { y[i, j] = if x[i, j] > 0.0 then x[i, j] / s[i] else s[i]; }
export fn packed(x: i4[M, N], s: f16[M]) -> (y: f16[M, N]) { y[i, j] = f32(x[i, j]) * s[i]; }
export fn middle(x: f32[M, N, K], s: f32[M, K]) -> (y: f32[M, N, K]) { y[i, j, k] = x[i, j, k] * s[i, k]; }
check outer(M = 9, N = 33);
check outer(M = 37, N = 24);
check outer(M = 300, N = 3);
check outer(M = 1000, N = 1);
check outer(M = 5, N = 0);
check outer(M = 0, N = 5);
check channels(B = 2, C = 5, H = 7, W = 7);
check channels(B = 3, C = 4, H = 8, W = 4);
check channels(B = 2, C = 3, H = 1, W = 1);
check squares(B = 3, C = 5);
check dropped(B = 2, C = 3, H = 5, W = 5);
check dropped(B = 2, C = 3, H = 4, W = 4);
check quantized(M = 9, N = 33);
check quantized(M = 9, N = 32);
check quantized(M = 40, N = 1);
check differences(M = 7, N = 9);
check differences(M = 7, N = 8);
check strided(M = 5, N = 9);
check strided(M = 5, N = 16);
check chosen(M = 5, N = 9) with s ~ 2.0;
check packed(M = 9, N = 33);
check packed(M = 9, N = 32);
check middle(M = 3, N = 5, K = 7);

/// Indices in values; one in a condition of loads; a function of the outer axis alone, of rows known to be long.
export fn places(k: i64) -> (y: i16[A, B, 33], z: f32[A, B, 33]) {
    y[i, j, k0] = i16(k * (4 - j) + 2 * k0 - i % 3);
    z[i, j, k0] = f32(i) - 0.5 * f32(j % (k0 + 1));
}
export fn before(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = if j > 0 && i > 0 then x[i - 1, j - 1] + j else -1.0; }
export fn by_row(s: f32[M]) -> (y: bf16[M, 259]) { y[i, j] = acos(0.9 * tanh(s[i])) + 0.01 * j; }
check places(A = 3, B = 7, k = 3);
check places(A = 1, B = 1, k = -1);
check places(A = 2, B = 0, k = 1);
check before(M = 5, N = 9);
check before(M = 4, N = 8);
check by_row(M = 5);
check by_row(M = 0);
