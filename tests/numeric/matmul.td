// Matrix products that a library runs, in every type it has, by rows and by columns, alone and with what follows.
// Products are for the library where sizes are not known to be small; --library=none makes kernels of the same equations.
export fn f64_nn(x: f64[M, K], w: f64[K, N], c: f64[M, N]) -> (y: f64[M, N]) { y[i, j] = 0.5 * sum[k](x[i, k] * w[k, j]) - 2 * c[i, j]; }
export fn f32_nt(x: f32[M, K], w: f32[N, K], b: f32[N]) -> (y: f32[M, N]) { y[i, j] = max(sum[k](x[i, k] * w[j, k]) + b[j], 0); }
export fn f32_tn(x: f32[K, M], w: f32[K, N], scale: f32 = 0.25) -> (y: f32[M, N]) { y[i, j] = scale * sum[k](x[k, i] * w[k, j]); }
export fn f32_tt(x: f32[K, M], w: f32[N, K]) -> (y: f32[N, M]) { y[j, i] = sum[k](x[k, i] * w[j, k]) / sqrt(f32(K)); }
export fn f16_nn(x: f16[M, K], w: f16[K, N], b: f16[N], r: f16[M, N]) -> (y: f16[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]) + b[j] + r[i, j]; }
export fn f16_tn(x: f16[K, M], w: f16[K, N], b: f16[N]) -> (y: f16[M, N]) {
    let v[i, j] = sum[k](x[k, i] * w[k, j]) + b[j];
    y[i, j] = v[i, j] * sigmoid(1.5957691216057308 * (v[i, j] + 0.044715 * v[i, j] ** 3));
}
export fn bf16_nt(x: bf16[M, K], w: bf16[N, K]) -> (y: bf16[M, N], z: f32[M, N]) {
    y[i, j] = sum[k](x[i, k] * w[j, k]);
    z[i, j] = 3 * sum[k](w[j, k] * x[i, k]);
}
export fn bf16_tt(x: bf16[K, M], w: bf16[N, K], b: f32[N]) -> (y: f32[M, N]) { y[i, j] = sum[k](x[k, i] * w[j, k]) + b[j]; }
export fn i8_nt(x: i8[M, K], w: i8[N, K]) -> (y: i32[M, N]) { y[i, j] = sum[k](x[i, k] * w[j, k]); }
export fn i8_nn(x: i8[M, K], w: i8[K, N]) -> (y: i32[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); }
export fn f8_nt(x: f8e4m3[M, K], w: f8e4m3[N, K]) -> (y: bf16[M, N]) { y[i, j] = sum[k](x[i, k] * w[j, k]); }
export fn f8_nn(x: f8e4m3[M, K], w: f8e4m3[K, N]) -> (y: f16[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); }
// batches: of one index, of two that do not lie together, missing in a factor
export fn heads(q: f16[B, S, H, D], k: f16[B, T, H, D]) -> (y: f32[B, H, S, T]) { y[b, h, i, j] = sum[d](q[b, i, h, d] * k[b, j, h, d]); }
export fn shared(x: bf16[B, M, K], w: bf16[K, N], c: bf16[B, N]) -> (y: bf16[B, M, N]) { y[b, i, j] = sum[k](x[b, i, k] * w[k, j]) + c[b, j]; }
export fn inner(x: f32[M, A, C], w: f32[A, C, N]) -> (y: f32[M, N]) { y[i, j] = sum[a, c](x[i, a, c] * w[a, c, j]); }
// parts of tensors, and an update in place
export fn block(x: f32[2*M, K + 3], w: f32[K, 3*N]) -> (y: f32[2*M, N]) {
    y[i in 0..M, j] = sum[k in 0..K](x[i + M, k + 2] * w[k, j + N]);
    y[i in M..2*M, j] = x[i - M, 0];
}
export fn into(x: f32[M, K], w: f32[K, N], inout y: f32[M, N]) { y[i, j] += sum[k](x[i, k] * w[k, j]); }
// computed factors are stored first; a product that two equations read is computed once
export fn rounded(x: f32[M, K], w: bf16[K, N]) -> (y: f32[M, N]) { y[i, j] = sum[k](bf16(tanh(x[i, k])) * w[k, j]); }
export fn twice(x: f32[M, K], w: f32[K, N]) -> (y: f32[M, N], z: f32[N, M]) {
    let t[i, j] = sum[k](x[i, k] * w[k, j]);
    y[i, j] = max(t[i, j], 0);
    z[j, i] = t[i, j] * t[i, j];
}
check f64_nn(M = 1, N = 1, K = 1);
check f64_nn(M = 7, N = 7, K = 7);
check f64_nn(M = 129, N = 7, K = 1);
check f64_nn(M = 7, N = 1, K = 129);
check f64_nn(M = 1, N = 129, K = 7);
check f64_nn(M = 16, N = 32, K = 48);
check f64_nn(M = 0, N = 5, K = 3);
check f64_nn(M = 5, N = 0, K = 3);
check f64_nn(M = 5, N = 3, K = 0);
check f32_nt(M = 1, N = 1, K = 1);
check f32_nt(M = 7, N = 7, K = 7);
check f32_nt(M = 129, N = 7, K = 1);
check f32_nt(M = 7, N = 1, K = 129);
check f32_nt(M = 1, N = 129, K = 7);
check f32_nt(M = 16, N = 32, K = 48);
check f32_nt(M = 0, N = 5, K = 3);
check f32_nt(M = 5, N = 0, K = 3);
check f32_nt(M = 5, N = 3, K = 0);
check f32_tn(M = 1, N = 1, K = 1);
check f32_tn(M = 7, N = 7, K = 7);
check f32_tn(M = 129, N = 7, K = 1);
check f32_tn(M = 7, N = 1, K = 129);
check f32_tn(M = 1, N = 129, K = 7);
check f32_tn(M = 16, N = 32, K = 48);
check f32_tn(M = 0, N = 5, K = 3);
check f32_tn(M = 5, N = 0, K = 3);
check f32_tn(M = 5, N = 3, K = 0);
check f32_tt(M = 1, N = 1, K = 1);
check f32_tt(M = 7, N = 7, K = 7);
check f32_tt(M = 1, N = 129, K = 7);
check f32_tt(M = 16, N = 32, K = 48);
check f32_tt(M = 0, N = 5, K = 3);
check f32_tt(M = 5, N = 0, K = 3);
check f32_tt(M = 5, N = 3, K = 0);
check f16_nn(M = 1, N = 1, K = 1);
check f16_nn(M = 7, N = 7, K = 7);
check f16_nn(M = 129, N = 7, K = 1);
check f16_nn(M = 7, N = 1, K = 129);
check f16_nn(M = 1, N = 129, K = 7);
check f16_nn(M = 16, N = 32, K = 48);
check f16_nn(M = 0, N = 5, K = 3);
check f16_nn(M = 5, N = 0, K = 3);
check f16_nn(M = 5, N = 3, K = 0);
check f16_tn(M = 1, N = 1, K = 1);
check f16_tn(M = 7, N = 7, K = 7);
check f16_tn(M = 129, N = 7, K = 1);
check f16_tn(M = 7, N = 1, K = 129);
check f16_tn(M = 1, N = 129, K = 7);
check f16_tn(M = 16, N = 32, K = 48);
check f16_tn(M = 0, N = 5, K = 3);
check f16_tn(M = 5, N = 0, K = 3);
check f16_tn(M = 5, N = 3, K = 0);
check bf16_nt(M = 1, N = 1, K = 1);
check bf16_nt(M = 7, N = 7, K = 7);
check bf16_nt(M = 129, N = 7, K = 1);
check bf16_nt(M = 7, N = 1, K = 129);
check bf16_nt(M = 1, N = 129, K = 7);
check bf16_nt(M = 16, N = 32, K = 48);
check bf16_nt(M = 0, N = 5, K = 3);
check bf16_nt(M = 5, N = 0, K = 3);
check bf16_nt(M = 5, N = 3, K = 0);
check bf16_tt(M = 1, N = 1, K = 1);
check bf16_tt(M = 7, N = 7, K = 7);
check bf16_tt(M = 129, N = 7, K = 1);
check bf16_tt(M = 7, N = 1, K = 129);
check bf16_tt(M = 1, N = 129, K = 7);
check bf16_tt(M = 16, N = 32, K = 48);
check bf16_tt(M = 0, N = 5, K = 3);
check bf16_tt(M = 5, N = 0, K = 3);
check bf16_tt(M = 5, N = 3, K = 0);
check i8_nt(M = 1, N = 1, K = 1);
check i8_nt(M = 7, N = 7, K = 7);
check i8_nt(M = 129, N = 7, K = 1);
check i8_nt(M = 7, N = 1, K = 129);
check i8_nt(M = 1, N = 129, K = 7);
check i8_nt(M = 16, N = 32, K = 48);
check i8_nt(M = 0, N = 5, K = 3);
check i8_nt(M = 5, N = 0, K = 3);
check i8_nt(M = 5, N = 3, K = 0);
check i8_nn(M = 1, N = 1, K = 1);
check i8_nn(M = 7, N = 7, K = 7);
check i8_nn(M = 129, N = 7, K = 1);
check i8_nn(M = 7, N = 1, K = 129);
check i8_nn(M = 1, N = 129, K = 7);
check i8_nn(M = 16, N = 32, K = 48);
check i8_nn(M = 0, N = 5, K = 3);
check i8_nn(M = 5, N = 0, K = 3);
check i8_nn(M = 5, N = 3, K = 0);
check f8_nt(M = 1, N = 1, K = 1);
check f8_nt(M = 7, N = 7, K = 7);
check f8_nt(M = 129, N = 7, K = 1);
check f8_nt(M = 7, N = 1, K = 129);
check f8_nt(M = 1, N = 129, K = 7);
check f8_nt(M = 16, N = 32, K = 48);
check f8_nt(M = 0, N = 5, K = 3);
check f8_nt(M = 5, N = 0, K = 3);
check f8_nt(M = 5, N = 3, K = 0);
check f8_nn(M = 1, N = 1, K = 1);
check f8_nn(M = 7, N = 7, K = 7);
check f8_nn(M = 129, N = 7, K = 1);
check f8_nn(M = 7, N = 1, K = 129);
check f8_nn(M = 1, N = 129, K = 7);
check f8_nn(M = 16, N = 32, K = 48);
check f8_nn(M = 0, N = 5, K = 3);
check f8_nn(M = 5, N = 0, K = 3);
check f8_nn(M = 5, N = 3, K = 0);
check rounded(M = 1, N = 1, K = 1);
check rounded(M = 7, N = 7, K = 7);
check rounded(M = 1, N = 129, K = 7);
check rounded(M = 16, N = 32, K = 48);
check rounded(M = 0, N = 5, K = 3);
check rounded(M = 5, N = 0, K = 3);
check rounded(M = 5, N = 3, K = 0);
check twice(M = 1, N = 1, K = 1);
check twice(M = 7, N = 7, K = 7);
check twice(M = 1, N = 129, K = 7);
check twice(M = 16, N = 32, K = 48);
check twice(M = 0, N = 5, K = 3);
check twice(M = 5, N = 0, K = 3);
check twice(M = 5, N = 3, K = 0);
check into(M = 1, N = 1, K = 1);
check into(M = 7, N = 7, K = 7);
check into(M = 1, N = 129, K = 7);
check into(M = 16, N = 32, K = 48);
check into(M = 0, N = 5, K = 3);
check into(M = 5, N = 0, K = 3);
check into(M = 5, N = 3, K = 0);
check heads(B = 2, S = 5, H = 3, T = 7, D = 8);
check shared(B = 3, M = 5, K = 8, N = 16);
check inner(M = 5, A = 3, C = 7, N = 9);
check block(M = 4, K = 5, N = 6);
check heads(B = 2, S = 5, H = 70, T = 7, D = 8);
check heads(B = 66, S = 3, H = 67, T = 2, D = 8); // check-all
export fn written_twice(x: bf16[M, K], w: bf16[K, N]) -> (y: bf16[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]) * sigmoid(sum[l](x[i, l] * w[l, j])); }
check written_twice(M = 9, N = 17, K = 8);
// guessed sizes of many dimensions fit no integer
export fn wide(x: bf16[A, B, C, D, E, F, G, H, K], w: bf16[K, N]) -> (y: bf16[A, B, C, D, E, F, G, H, N]) { y[a, b, c, d, e, f, g, h, n] = sum[k](bf16(tanh(x[a, b, c, d, e, f, g, h, k])) * w[k, n]); }
check wide(A = 2, B = 1, C = 2, D = 1, E = 2, F = 1, G = 2, H = 1, K = 3, N = 5);
