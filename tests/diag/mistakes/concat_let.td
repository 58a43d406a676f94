export fn concat(a: f32[N], b: f32[M]) -> (s: f32[]) {
    let c[i] = if i < N then a[i] else b[i - N];
    s[] = sum[i](c[i]);
}
