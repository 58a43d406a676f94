// Rows that several axes tell apart, which are one axis where nothing is said of their lengths: walked in one order and
// stored in another, with tensors that some of the axes have, places that data name, and conditions of data.
export fn heads(x: bf16[B, S, H, D], w: f32[D], c: f32[S, D]) -> (y: bf16[B, H, S, D], r: f32[B, H, S]) {
    let q[b, h, s] = rsqrt(sum[d](x[b, s, h, d] * x[b, s, h, d]) / D + 0.01);
    r[b, h, s] = q[b, h, s];
    y[b, h, s, d] = x[b, s, h, d] * q[b, h, s] * w[d] + c[s, d] * sin(f32(h));
}
export fn masked(x: f16[B, H, M, N], bias: f16[H, M, N], mask: bool[B, M, N]) -> (y: f16[B, H, M, N]) {
    let z[b, h, i, j] = if mask[b, i, j] then x[b, h, i, j] + bias[h, i, j] else -1000;
    let m[b, h, i] = max[j](z[b, h, i, j]);
    let s[b, h, i] = sum[j](exp(z[b, h, i, j] - m[b, h, i]));
    y[b, h, i, j] = exp(z[b, h, i, j] - m[b, h, i]) / s[b, h, i];
}
export fn gathered(t: f32[V, D], ids: i32[B, S], p: f32[S, D]) -> (y: f32[B, S, D], m: f32[B, S]) {
    assume 0 <= ids[b, s] && ids[b, s] < V;
    m[b, s] = max[d](t[ids[b, s], d] + p[s, d]);
    y[b, s, d] = t[ids[b, s], d] + p[s, d] - m[b, s];
}
export fn of_rows(x: f32[M], k: f32[N]) -> (y: f32[M, N]) { y[i, j] = acos(0.9 * tanh(x[i])) + k[j]; }

check heads(B = 3, S = 5, H = 4, D = 37);
check heads(B = 1, S = 1, H = 7, D = 64);
check heads(B = 2, S = 0, H = 3, D = 8);
check heads(B = 2, S = 9, H = 1, D = 1);
check masked(B = 2, H = 3, M = 5, N = 33);
check masked(B = 1, H = 1, M = 1, N = 300);
check masked(B = 2, H = 0, M = 3, N = 8);
check gathered(V = 11, D = 19, B = 3, S = 7);
check gathered(V = 1, D = 256, B = 1, S = 1);
check gathered(V = 5, D = 8, B = 0, S = 4);
check of_rows(M = 5, N = 700);
check of_rows(M = 1, N = 1);
check of_rows(M = 70, N = 3);
