// What kernels read and write, counted by hand. `// bytes ENTRY K: R W`: kernel K of the entry reads R bytes and writes W.

// 4 M N each way
// bytes copy 1: 84 84
export fn copy(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = 2 * x[i, j]; }
check copy(M = 3, N = 7);

// a row twice is one row: 2 M N + 4 N, and 2 M N
// bytes norm 1: 2720 2560
export fn norm(x: bf16[M, N], w: f32[N]) -> (y: bf16[M, N]) {
    let s[i] = sum[j](x[i, j] * x[i, j]);
    y[i, j] = x[i, j] / sqrt(s[i] + 1) * w[j];
}
check norm(M = 25, N = 50);
bench norm(M = 32, N = 40);

// the middle third alone
// bytes third 1: 40 40
export fn third(x: f32[3*N]) -> (y: f32[N]) { y[i] = x[N + i]; }
check third(N = 10);

// windows: no more than there is
// bytes window 1: 48 40
export fn window(x: f32[N + 2]) -> (y: f32[N]) { y[i] = x[i] + x[i + 1] + x[i + 2]; }
check window(N = 10);

// rows by data: at most one an index. 8 K indices, 4 K D elements
// bytes rows 1: 240 160
export fn rows(x: f32[V, D], t: i64[K]) -> (y: f32[K, D]) { assume t[k] >= 0 && t[k] < V; y[k, d] = x[t[k], d]; }
check rows(V = 100, D = 4, K = 10);

// 4-bit elements
// bytes nibbles 1: 10 20
export fn nibbles(x: i4[N]) -> (y: i8[N]) { y[i] = i8(x[i]); }
check nibbles(N = 20);
