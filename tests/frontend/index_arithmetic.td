// Index arithmetic that is proved to be in range: no pad, no diagnostics.
export fn idx(x: f32[N], R: int, S: int) -> (a: f32[N], b: f32[N], c: f32[N], d: f32[N], e: f32[N], f: f32[N], g: f32[N], h: f32[N]) {
    require S >= 0;
    a[i] = x[max(i - 1, 0)];
    b[i] = x[min(i + 1, N - 1)];
    c[i] = x[clamp(i + R - 1, 0, N - 1)];
    d[i] = x[(i + 1) % N];
    e[i] = x[if i > 0 then i - 1 else 0];
    f[i] = x[(i - S) % N];
    g[i] = x[i / 2];
    h[i] = x[i - i % 4];
}
export fn up(x: f32[N, M], S: int) -> (y: f32[N*S, M]) {
    y[i, j] = x[i / S, j];
}
export fn shuffle(x: f32[G*K, H]) -> (y: f32[G*K, H], z: f32[K, G, H]) {
    y[c, h] = x[c % G * K + c / G, h];
    z[k, g, h] = x[g*K + k, h];
}
export fn depth(x: f32[C, 2*H, 2*W]) -> (y: f32[4*C, H, W]) {
    y[c, h, w] = x[c / 4, 2*h + c % 4 / 2, 2*w + c % 2];
}
export fn strided(x: f32[L], f: f32[R], S: int, P: int) -> (y: f32[(L + 2*P - R)/S + 1]) {
    require S >= 1 && L + 2*P >= R;
    y[p] = sum[r](pad(x[p*S + r - P], 0.0) * f[r]);
}
export fn strided2(x: f32[L], f: f32[R], S: int) -> (y: f32[(L - R)/S + 1]) {
    require S >= 1 && L >= R;
    y[p] = sum[r](x[p*S + r] * f[r]);
}
export fn rope(x: f16[T, H, 2*D], pos: i32[T], c: f32[P, D], s: f32[P, D]) -> (y: f16[T, H, 2*D]) {
    assume 0 <= pos[t] && pos[t] < P;
    y[t, h, d] = if d < D then x[t, h, d] * c[pos[t], d] - x[t, h, d + D] * s[pos[t], d]
                 else x[t, h, d] * c[pos[t], d - D] + x[t, h, d - D] * s[pos[t], d - D];
}
export fn window(q: f32[T, D], k: f32[T, D], W: int) -> (y: f32[T]) {
    require W >= 1;
    y[t] = sum[j in max(0, t - W + 1)..t + 1, d](q[t, d] * k[j, d]);
}
export fn gqa(q: f32[H*G, T, D], k: f32[H, T, D]) -> (y: f32[H*G, T, T]) {
    y[h, i, j] = sum[d](q[h, i, d] * k[h / G, j, d]);
}
export fn quant(w: u4[N, K], s: f16[N, K/32]) -> (y: f16[N, K]) {
    require K % 32 == 0;
    y[n, k] = (f32(w[n, k]) - 8) * s[n, k / 32];
}
export fn kv(cache: f32[B, S, D], len: i32[B], q: f32[B, D]) -> (y: f32[B]) {
    assume 0 <= len[b] && len[b] <= S;
    y[b] = sum[j in 0..len[b], d](cache[b, j, d] * q[b, d]);
}
export fn pages(pool: f32[P, 16, D], table: i32[B, M], len: i32[B]) -> (y: f32[B, D]) {
    assume 0 <= len[b] && len[b] <= 16 * M;
    assume 0 <= table[b, m] && table[b, m] < P;
    y[b, d] = sum[j in 0..len[b]](pool[table[b, j / 16], j % 16, d]);
}
