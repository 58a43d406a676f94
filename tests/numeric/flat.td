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
