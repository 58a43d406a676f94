// Data that says where: paged and packed attention, bags, edges of graphs, experts.
// paged attention, decode
export fn paged(q: f16[B, H, D], kc: f16[P, S, G, D], vc: f16[P, S, G, D], table: i32[B, M], len: i32[B]) -> (o: f16[B, H, D]) {
    require H % G == 0, "query heads a multiple of key heads";
    require G > 0, "heads"; require S > 0, "block";
    assume 0 <= table[b, m] && table[b, m] < P;
    assume 0 <= len[b] && len[b] <= M * S;
    let s[b, h, t in M * S] = sum[d](f32(q[b, h, d]) * f32(kc[table[b, t / S], t % S, h / (H / G), d])) * rsqrt(f32(D));
    let top[b, h] = max[t in M*S where t < len[b]](s[b, h, t]);
    let e[b, h, t] = exp(s[b, h, t] - top[b, h]);
    let z[b, h] = sum[t where t < len[b]](e[b, h, t]);
    o[b, h, d] = sum[t in M*S where t < len[b]](f16(e[b, h, t]) * vc[table[b, t / S], t % S, h / (H / G), d]) / z[b, h];
}
// ragged batch: cu_seqlens
export fn varlen(q: bf16[T, H, D], k: bf16[T, H, D], v: bf16[T, H, D], cu: i32[B + 1], seg: i32[T]) -> (o: bf16[T, H, D]) {
    assume 0 <= seg[t] && seg[t] < B;
    assume 0 <= cu[i] && cu[i] <= T;
    let s[t, h, u in T] = sum[d](q[t, h, d] * k[u, h, d]) * rsqrt(f32(D));
    let m[t, h] = max[u in cu[seg[t]]..cu[seg[t] + 1] where u <= t](s[t, h, u]);
    let p[t, h, u] = exp(s[t, h, u] - m[t, h]);
    o[t, h, d] = sum[u in cu[seg[t]]..cu[seg[t] + 1] where u <= t](bf16(p[t, h, u]) * v[u, h, d])
        / sum[u in cu[seg[t]]..cu[seg[t] + 1] where u <= t](p[t, h, u]);
}
// embedding bag
export fn bag(w: f32[V, D], ids: i64[N], off: i64[B + 1]) -> (y: f32[B, D]) {
    assume 0 <= ids[n] && ids[n] < V;
    assume 0 <= off[b] && off[b] <= N;
    y[b, d] = mean[i in off[b]..off[b + 1]](w[ids[i], d]);
}
// GNN: segment softmax over edges
export fn gat(h: f32[N, F], src: i32[E], dst: i32[E], a: f32[F]) -> (y: f32[N, F]) {
    assume 0 <= src[e] && src[e] < N;
    assume 0 <= dst[e] && dst[e] < N;
    let s[e] = sum[f](a[f] * (h[src[e], f] + h[dst[e], f]));
    let l[e] = max(s[e], 0.2 * s[e]);
    let m[n in N] = max[e where dst[e] == n](l[e]);
    let z[n in N] = sum[e where dst[e] == n](exp(l[e] - m[n]));
    y[n, f] = sum[e where dst[e] == n](exp(l[e] - m[n]) / z[n] * h[src[e], f]);
}
// top-1 MoE
export fn moe1(x: bf16[T, D], g: bf16[D, E], w: bf16[E, D, F]) -> (y: bf16[T, F]) {
    require E >= 1, "an expert";
    let l[t, e] = sum[d](x[t, d] * g[d, e]);
    let c[t] = argmax[e](l[t, e]);
    let z[t] = sum[e](exp(l[t, e] - max[k](l[t, k])));
    y[t, f] = sum[d](x[t, d] * w[c[t], d, f]) / z[t];
}
// top-2 MoE by rank, dense combine
export fn moe2(x: bf16[T, D], g: bf16[D, E], w: bf16[E, D, F]) -> (y: bf16[T, F]) {
    let l[t, e] = sum[d](x[t, d] * g[d, e]);
    let r[t, e] = sum[k in E](l[t, k] > l[t, e] || l[t, k] == l[t, e] && k < e);
    let m[t] = max[e](l[t, e]);
    let z[t] = sum[e where r[t, e] < 2](exp(l[t, e] - m[t]));
    let o[t, e, f] = sum[d](x[t, d] * w[e, d, f]);
    y[t, f] = sum[e where r[t, e] < 2](exp(l[t, e] - m[t]) / z[t] * o[t, e, f]);
}
check paged(B=3, H=4, G=2, D=8, P=7, S=4, M=3);
check varlen(T=19, H=2, D=8, B=3);
check bag(V=20, D=5, N=17, B=4);
check gat(N=9, F=5, E=30);
check moe1(T=9, D=12, E=4, F=10);
check moe2(T=9, D=12, E=4, F=10);
