// Outputs in pieces: concatenation, interleaving, borders; inout tensors in part.
export fn concat(a: f32[M, N], b: f32[K, N]) -> (y: f32[M + K, N]) {
    y[i in M, j] = a[i, j];
    y[M + i, j] = b[i, j];
}

export fn interleave(a: f16[N], b: f16[N]) -> (y: f16[2*N]) {
    y[2*i] = a[i];
    y[2*i + 1] = b[i];
}

export fn kv_append(inout cache: bf16[S, D], fresh: bf16[D], at: int) -> (y: f32[]) {
    require at < S, "the cache is full";
    cache[at, d] = fresh[d];
    y[] = sum[d](fresh[d]);
}

export fn accumulate(inout total: f32[N], x: f32[N], decay: f32 = 0.9) -> (largest: f32[]) {
    total[n] *= decay;
    largest[] = max[n](abs(x[n]));
}

export fn add_into(inout total: f32[N], x: bf16[N]) -> (first: f32[1]) {
    total[n] += x[n];
    first[z] = 0;
}

export fn merge_heads(o: f16[H, T, D]) -> (y: f16[T, H*D]) {
    y[t, h*D + d] = o[h, t, d];
}

export fn halves(x: f32[N], k: int) -> (y: f32[N]) {
    y[i] = x[i] where i < k;
    y[i] = -x[i] where i >= k;
}

export fn triangle(inout a: f32[N, N]) -> (trace: f32[]) {
    a[i, j] = 0.0 where j > i;
    trace[] = sum[i](a[i, i]);
}
