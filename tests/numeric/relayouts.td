// Maps that load along one axis and store along another: tiles in registers and through shared memory, of rows that are
// aligned and others, of elements of one, two and four bytes, and of two sizes at once.
export fn turned(x: bf16[M, N]) -> (y: bf16[N, M]) { y[j, i] = x[i, j]; }
export fn wide(x: f32[M, N], b: f32[N]) -> (y: f32[N, M]) { y[j, i] = 2.0 * x[i, j] + b[j]; }
export fn bytes(x: i8[M, N]) -> (y: i8[N, M]) { y[j, i] = x[i, j]; }
export fn narrowed(x: f32[B, M, N], s: f32[M]) -> (y: bf16[B, N, M]) { y[b, j, i] = x[b, i, j] * s[i]; }
export fn both(x: f16[M, N], z: f16[N, M]) -> (y: f16[N, M], w: f16[N, M]) {
    y[j, i] = x[i, j] + z[j, i];
    w[j, i] = x[i, j] - z[j, i];
}

check turned(M = 0, N = 5);
check turned(M = 1, N = 1);
check turned(M = 67, N = 131);
check turned(M = 1032, N = 1040); // check-all
check turned(M = 1031, N = 1032);
check wide(M = 33, N = 65);
check wide(M = 1028, N = 1036);
check bytes(M = 35, N = 67);
check bytes(M = 1021, N = 1037);
check narrowed(B = 3, M = 17, N = 65);
check narrowed(B = 2, M = 519, N = 1031); // check-all
check both(M = 37, N = 70);
check both(M = 1031, N = 1033); // check-all
