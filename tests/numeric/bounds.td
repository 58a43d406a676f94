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
