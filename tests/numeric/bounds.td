// Bounds of reductions that are data, products of indices, small types; ranges of fixed length that start anywhere.
export fn g(cnt: i32[B], x: f32[B], N: int) -> (y: f32[B]) {
    assume 0 <= cnt[b] && cnt[b] <= N;
    y[b] = sum[j in 0..cnt[b]](x[b] * j);
}
export fn h(x: f32[N]) -> (y: f32[N]) {
    y[i] = sum[j in 0..i*i](x[i] * j);
}
export fn pow_(x: f32[N], k: i32[N]) -> (y: f32[N]) {
    y[n] = prod[j in 0..clamp(k[n], 0, 10)](x[n]);
}
export fn tri(x: f32[N]) -> (y: f32[N]) {
    y[i] = sum[j in 0..i, k in j..i](x[j] * x[k]);
}
export fn rev(x: f32[N], s: i64[N]) -> (y: f32[N]) {
    y[i] = sum[j in N](pad(x[s[i] + j], 0.0));
}

export fn small(cnt: u8[B], x: f32[B]) -> (y: f32[B]) {
    y[b] = sum[j in 0..cnt[b]](x[b] * j);
}
export fn meang(x: f32[N], off: i64[B + 1]) -> (y: f32[B]) {
    assume 0 <= off[b] && off[b] <= N;
    y[b] = mean[i in off[b]..off[b + 1] where i % 2 == 0](x[i]);
}
export fn idx(x: f32[N], K: int) -> (y: f32[N]) {
    y[i] = sum[j in i*K..(i + 1)*K](x[i] * f32(j)) + sum[j in i % 3..i](1.0);
}
check g(B=3,N=20);
check h(N=8);
check pow_(N=9);
check tri(N=9);
check rev(N=8);
check small(B=5) with cnt in 0..40;
check meang(N=30,B=4);
check idx(N=9,K=3);
check idx(N=9,K=0);

// Subscripts proved from data and from the conditions of a definition; no element of them where there is none.
export fn within(x: f32[5*A], n: i32[A]) -> (y: f32[A], z: f32[2*A]) {
    assume 0 <= n[a] && n[a] <= 5*A;
    y[i] = max[k in 0..n[i]](x[k - k % 4] + x[max(k - 1, 0)]) + max[k in n[i]..5*A](x[k - k % 4] - x[k / 3 * 3 + k % 3 / 2]);
    z[i] = x[i / 2] where i < 2;
    z[i] = x[i / 2 * 2] where i >= 2;
}
check within(A = 7);
check within(A = 1);
check within(A = 0);
// Offsets of a high degree.
export fn turned(x: f32[A, B, C, D, E, F, G, H]) -> (y: f32[H, G, F, E, D, C, B, A]) {
    y[a, b, c, d, e, f, g, h] = x[h, g, f, e, d, c, b, a] * 2.0;
}
export fn products(x: i32[A, C, B*C, B*C]) -> (y: i32[A, C, B*C]) {
    y[i, j, k] = sum[l](x[A - 1 - i, j - j % 4, (k + 1) % (B*C), l]) + x[A - 1 - i, j, (k + j) % (B*C), k];
}
check turned(A = 2, B = 1, C = 3, D = 2, E = 2, F = 1, G = 3, H = 2);
check products(A = 3, B = 2, C = 5);
check products(A = 2, B = 0, C = 3);

// In range because a variable around has a value, which there may be none of.
export fn some(x: f32[M, N], c: f16[M, N], n: i32[M]) -> (y: f32[M], z: f32[M, N], w: f32[M], b: bool[M]) {
    assume 0 <= n[a] && n[a] <= N;
    y[i] = sum[j](x[i, j] * c[i, N - 1]);
    z[i, j] = x[i, j] - c[0, N - 1] + c[M - 1, 0];
    w[i] = max[j in 0..n[i]](x[i, N - 1] + x[i, j]) + max[j where j > 1](x[i, 2] + x[i, j]);
    b[i] = any[j in 0..N, k in 0..2*N](x[i, 1] > x[i, j]) where N > 3;
    b[i] = any[j in 0..N, k in 0..2*N](x[i, N - 1] > x[i, j]) where N <= 3;
}
check some(M = 3, N = 5);
check some(M = 3, N = 0);
check some(M = 0, N = 2);
check some(M = 0, N = 0);

export fn known_beside_quotients(x3: u32[B, B, B], x8: i32[], t: f32[B]) -> (y11: f32[]) {
    assume 0 <= x8[] && x8[] < B;
    y11[] = if (((x3[B - 1, B - 1, 0] | 3) / (abs((x3[B - 1, B - 1, 0] >> 3) % 5) + 1)) % (x3[B - 1, B - 1, 0] % 5 + 6)) >= 1 then 1.0 else t[x8[]];
}
check known_beside_quotients(B = 4);
