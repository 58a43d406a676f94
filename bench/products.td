// Matrix products as PyTorch users write them; bench/products.py times each beside PyTorch.
import "nn";
export fn gemm(x: bf16[M, K], w: bf16[K, N]) -> (y: bf16[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); }
export fn linear(x: bf16[M, K], w: bf16[K, N], b: bf16[N]) -> (y: bf16[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]) + b[j]; }
export fn linear_gelu(x: bf16[M, K], w: bf16[K, N], b: bf16[N]) -> (y: bf16[M, N]) { y[i, j] = gelu_tanh(sum[k](x[i, k] * w[k, j]) + b[j]); }
export fn linear_residual(x: bf16[M, K], w: bf16[K, N], b: bf16[N], r: bf16[M, N]) -> (y: bf16[M, N]) {
    y[i, j] = r[i, j] + (sum[k](x[i, k] * w[k, j]) + b[j]);
}
export fn linear_into(x: bf16[M, K], w: bf16[K, N], b: bf16[N], inout y: bf16[M, N]) { y[i, j] += sum[k](x[i, k] * w[k, j]) + b[j]; }
// The sum in f32 up to the activation; and, as PyTorch has it, rounded before.
export fn linear_silu(x: f16[M, K], w: f16[K, N], b: f16[N]) -> (y: f16[M, N]) { y[i, j] = silu(sum[k](x[i, k] * w[k, j]) + b[j]); }
export fn linear_silu_rounded(x: f16[M, K], w: f16[K, N], b: f16[N]) -> (y: f16[M, N]) {
    let h: f16[i, j] = sum[k](x[i, k] * w[k, j]) + b[j];
    y[i, j] = silu(h[i, j]);
}
export fn grouped_gemm(x: f16[G, M, K], w: f16[G, K, N], b: f16[G, 1, N]) -> (y: f16[G, M, N]) { y[g, i, j] = sum[k](x[g, i, k] * w[g, k, j]) + b[g, 0, j]; }
export fn mlp4(x: f16[M, A], w1: f16[A, B], b1: f16[B], w2: f16[B, C], b2: f16[C], w3: f16[C, D], b3: f16[D], w4: f16[D, E], b4: f16[E]) -> (y: f16[M, E]) {
    let h1: f16[i, j] = relu(sum[k](x[i, k] * w1[k, j]) + b1[j]);
    let h2: f16[i, j] = relu(sum[k](h1[i, k] * w2[k, j]) + b2[j]);
    let h3: f16[i, j] = relu(sum[k](h2[i, k] * w3[k, j]) + b3[j]);
    y[i, j] = relu(sum[k](h3[i, k] * w4[k, j]) + b4[j]);
}
check gemm(M = 33, K = 40, N = 24);
check linear_gelu(M = 33, K = 40, N = 24);
check linear_residual(M = 7, K = 129, N = 13);
check linear_into(M = 7, K = 129, N = 13);
check linear_silu(M = 7, K = 13, N = 129);
check linear_silu_rounded(M = 7, K = 13, N = 129);
check grouped_gemm(G = 3, M = 7, K = 40, N = 24);
check mlp4(M = 33, A = 8, B = 16, C = 24, D = 8, E = 40);
check mlp4(M = 3, A = 7, B = 13, C = 5, D = 9, E = 1);
// The sizes that bench/products.py times, and for which `tdc tune` finds algorithms.
bench gemm(M = 8192, K = 8192, N = 8192);
bench gemm(M = 4096, K = 4096, N = 4096);
bench gemm(M = 1024, K = 1024, N = 1024);
bench linear(M = 16, K = 4096, N = 14336);
bench linear_gelu(M = 8192, K = 4096, N = 16384);
bench linear_residual(M = 8192, K = 16384, N = 4096);
bench linear_into(M = 8192, K = 16384, N = 4096);
bench linear_silu(M = 4000, K = 1000, N = 3000);
bench linear_silu_rounded(M = 4000, K = 1000, N = 3000);
bench grouped_gemm(G = 64, M = 256, K = 1024, N = 1024);
bench mlp4(M = 16384, A = 512, B = 1024, C = 1024, D = 512, E = 256);
