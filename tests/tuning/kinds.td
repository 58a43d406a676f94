// Products of every kind, all of which the stand-in's library runs faster by an algorithm that is not its own choice: a model compiled
// with what `tdc tune` found must meet each line.
export fn doubles(x: f64[M, K], w: f64[K, N]) -> (y: f64[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); }
export fn floats(x: f32[K, M], w: f32[N, K]) -> (y: f32[M, N]) { y[i, j] = sum[k](x[k, i] * w[j, k]); }
export fn scaled(x: f16[M, K], w: f16[K, N], s: f32) -> (y: f32[M, N]) { y[i, j] = s * sum[k](x[i, k] * w[k, j]); }
export fn bytes(x: i8[M, K], w: i8[N, K]) -> (y: i32[M, N]) { y[i, j] = sum[k](x[i, k] * w[j, k]); }
export fn added(x: bf16[M, K], w: bf16[K, N], r: bf16[N], c: bf16[M, N]) -> (y: bf16[M, N]) { y[i, j] = c[i, j] + (sum[k](x[i, k] * w[k, j]) + r[j]); }
export fn curved(x: bf16[M, K], w: bf16[K, N]) -> (y: bf16[M, N]) {
    let v[i, j] = sum[k](x[i, k] * w[k, j]);
    y[i, j] = 0.5 * v[i, j] * (1.0 + tanh(0.7978845608028654 * (v[i, j] + 0.044715 * v[i, j] * v[i, j] * v[i, j])));
}
// heads inside of rows: two batches, of which the longer one is the library's, whichever that is
export fn scores(q: f16[B, S, H, D], k: f16[B, T, H, D]) -> (y: f16[B, H, S, T]) { y[b, h, s, t] = sum[d](q[b, s, h, d] * k[b, t, h, d]); }
export fn shared(x: f16[G, M, K], w: f16[K, N], b: f16[G, 1, N]) -> (y: f16[G, M, N]) { y[g, i, j] = sum[k](x[g, i, k] * w[k, j]) + b[g, 0, j]; }
export fn part(x: f32[M, 2*K], w: f32[K, N]) -> (y: f32[M, N]) { y[i, j] = sum[k](x[i, K + k] * w[k, j]); }
export fn strided(x: f16[G, M, K], w: f16[G, K, N], inout y: f16[M, G, N]) { y[i, g, j] += sum[k](x[g, i, k] * w[g, k, j]); }
check doubles(M = 24, K = 32, N = 40);
check floats(K = 32, M = 24, N = 40);
check scaled(M = 24, K = 32, N = 40, s = 0.5);
check bytes(M = 24, K = 32, N = 40);
check added(M = 24, K = 32, N = 40);
check curved(M = 24, K = 32, N = 40);
check scores(B = 2, S = 16, H = 3, D = 32, T = 24);
check scores(B = 3, S = 16, H = 2, D = 32, T = 24);
check shared(G = 3, M = 16, K = 32, N = 24);
check part(M = 24, K = 32, N = 40);
check strided(G = 3, M = 16, K = 32, N = 24);
