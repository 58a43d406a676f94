// Attention. B batches, H heads of queries, G heads of keys and values, M queries, N keys, D the size of a head.
// Tensors are [B, H, M, D] unless a comment says otherwise. Products are summed in acc(T); probabilities are rounded to
// T where they are multiplied by values, as streaming kernels do, and their sum is not. Results are in acc(T). A row
// that attends to nothing is NaN, as a softmax of nothing is.

// ---- attention of whole tensors ----

/// softmax(q k^T / sqrt D) v: torch.nn.functional.scaled_dot_product_attention; M need not be N. Vaswani et al. 2017,
/// arXiv:1706.03762. causal: query i sees the keys j <= i; with lower_right, j <= i + N - M, so that the last query
/// sees all keys, as beside a cache. window: only keys less than so many places away (0: all).
fn attention<T, causal: bool = false, lower_right: bool = false, window: int = 0>
        (q: T[B, H, M, D], k: T[B, H, N, D], v: T[B, H, N, E]) -> (o: acc(T)[B, H, M, E]) {
    let (r, _) = attention_lse(q, k, v, rsqrt(acc(T)(D)), causal = causal, lower_right = lower_right, window = window);
    o = r;
}

/// attention with a scale of its own: softmax(scale q k^T) v.
fn attention_scaled<T, causal: bool = false, lower_right: bool = false, window: int = 0>
        (q: T[B, H, M, D], k: T[B, H, N, D], v: T[B, H, N, E], scale: acc(T)) -> (o: acc(T)[B, H, M, E]) {
    let (r, _) = attention_lse(q, k, v, scale, causal = causal, lower_right = lower_right, window = window);
    o = r;
}

/// attention with heads of keys and values that R query heads share: query head h reads head h/R. Grouped queries,
/// Ainslie et al. 2023, arXiv:2305.13245; G = 1 is multi-query attention.
fn gqa_attention<T, causal: bool = false, lower_right: bool = false, window: int = 0>
        (q: T[B, G*R, M, D], k: T[B, G, N, D], v: T[B, G, N, E]) -> (o: acc(T)[B, G*R, M, E]) {
    let (r, _) = attention_lse(q, k, v, rsqrt(acc(T)(D)), causal = causal, lower_right = lower_right, window = window);
    o = r;
}

/// gqa_attention with a scale, and the logarithm of each row's sum of exponentials, lse = log sum_j exp(scale q k_j),
/// which attention_merge and gradients need.
fn attention_lse<T, causal: bool = false, lower_right: bool = false, window: int = 0>
        (q: T[B, G*R, M, D], k: T[B, G, N, D], v: T[B, G, N, E], scale: acc(T))
        -> (o: acc(T)[B, G*R, M, E], lse: acc(T)[B, G*R, M]) {
    let s[b, h, i, j] = sum[d](q[b, h, i, d]*k[b, h/R, j, d])*scale;
    let m[b, h, i] = max[j in 0..N where _sees(causal, lower_right, window, i, j, M, N)](s[b, h, i, j]);
    let e[b, h, i, j] = exp(s[b, h, i, j] - m[b, h, i]);
    let z[b, h, i] = sum[j in 0..N where _sees(causal, lower_right, window, i, j, M, N)](e[b, h, i, j]);
    o[b, h, i, d] = sum[j where _sees(causal, lower_right, window, i, j, M, N)](
        T(e[b, h, i, j])*v[b, h/R, j, d])/z[b, h, i];
    lse[b, h, i] = m[b, h, i] + log(z[b, h, i]);
}

// Whether query i of m sees key j of n.
fn _sees(causal: bool, lower_right: bool, window: int, i: int, j: int, m: int, n: int) =
    (!causal || j <= i + (if lower_right then n - m else 0)) &&
    (window == 0 || i + (if lower_right then n - m else 0) - j < window) &&
    (window == 0 || causal || j - i - (if lower_right then n - m else 0) < window);

/// attention for tensors [B, M, H, D], as FlashAttention has them. Dao et al. 2022, arXiv:2205.14135.
fn attention_bshd<T, causal: bool = false, lower_right: bool = false, window: int = 0>
        (q: T[B, M, G*R, D], k: T[B, N, G, D], v: T[B, N, G, E]) -> (o: acc(T)[B, M, G*R, E]) {
    let qh: T[b, h, i, d] = q[b, i, h, d];
    let kh: T[b, g, j, d] = k[b, j, g, d];
    let vh: T[b, g, j, d] = v[b, j, g, d];
    let r = gqa_attention(qh, kh, vh, causal = causal, lower_right = lower_right, window = window);
    o[b, i, h, d] = r[b, h, i, d];
}

/// attention where query i of head h in batch b sees key j only if mask[b, h, i, j]: torch's attn_mask of bools.
fn attention_masked<T>(q: T[B, G*R, M, D], k: T[B, G, N, D], v: T[B, G, N, E], mask: bool[B, G*R, M, N])
        -> (o: acc(T)[B, G*R, M, E]) {
    let s = attention_scores(q, k);
    let t[b, h, i, j] = if mask[b, h, i, j] then s[b, h, i, j] else -inf;
    o = attend(t, v);
}

/// attention where only the keys j with mask[b, j] are seen: key_padding_mask, with true for what is kept.
fn attention_key_mask<T>(q: T[B, G*R, M, D], k: T[B, G, N, D], v: T[B, G, N, E], mask: bool[B, N])
        -> (o: acc(T)[B, G*R, M, E]) {
    let s = attention_scores(q, k);
    let t[b, h, i, j] = if mask[b, j] then s[b, h, i, j] else -inf;
    o = attend(t, v);
}

/// attention with bias[h, i, j] added to the scaled products: torch's attn_mask of floats, the same for all batches;
/// the relative biases below are of this form. causal as in attention.
fn attention_bias<T, U, causal: bool = false>
        (q: T[B, G*R, M, D], k: T[B, G, N, D], v: T[B, G, N, E], bias: U[G*R, M, N])
        -> (o: acc(T)[B, G*R, M, E]) {
    let s = attention_scores(q, k);
    let t[b, h, i in M, j in N] = if causal && j > i then -inf else s[b, h, i, j] + bias[h, i, j];
    o = attend(t, v);
}

/// attention with bias[b, h, i, j] added to the scaled products.
fn attention_batch_bias<T, U>(q: T[B, G*R, M, D], k: T[B, G, N, D], v: T[B, G, N, E], bias: U[B, G*R, M, N])
        -> (o: acc(T)[B, G*R, M, E]) {
    let s = attention_scores(q, k);
    let t[b, h, i, j] = s[b, h, i, j] + bias[b, h, i, j];
    o = attend(t, v);
}

/// attention with its scaled products bent to cap*tanh(s/cap), before the mask. Gemma 2, arXiv:2408.00118.
fn attention_softcap<T, causal: bool = false, lower_right: bool = false, window: int = 0>
        (q: T[B, G*R, M, D], k: T[B, G, N, D], v: T[B, G, N, E], cap: acc(T)) -> (o: acc(T)[B, G*R, M, E]) {
    let s = attention_scores(q, k);
    let t[b, h, i in M, j in N] =
        if _sees(causal, lower_right, window, i, j, M, N) then cap*tanh(s[b, h, i, j]/cap) else -inf;
    o = attend(t, v);
}

/// attention whose rows may also attend to nothing: sink[h] is one more score, without a value. gpt-oss;
/// Xiao et al. 2023, arXiv:2309.17453.
fn attention_sink<T, causal: bool = false, lower_right: bool = false, window: int = 0>
        (q: T[B, G*R, M, D], k: T[B, G, N, D], v: T[B, G, N, E], sink: acc(T)[G*R]) -> (o: acc(T)[B, G*R, M, E]) {
    let (r, lse) = attention_lse(q, k, v, rsqrt(acc(T)(D)), causal = causal, lower_right = lower_right,
                                 window = window);
    o[b, h, i, d] = r[b, h, i, d]*sigmoid(lse[b, h, i] - sink[h]);
}

/// Two attentions over different keys as one over all: o = (e^l1 o1 + e^l2 o2)/(e^l1 + e^l2), and its lse.
fn attention_merge<T>(o1: T[B..., D], l1: T[B...], o2: T[B..., D], l2: T[B...])
        -> (o: acc(T)[B..., D], lse: acc(T)[B...]) {
    let m[b...] = max(l1[b...], l2[b...]);
    let z[b...] = exp(l1[b...] - m[b...]) + exp(l2[b...] - m[b...]);
    o[b..., d] = (exp(l1[b...] - m[b...])*o1[b..., d] + exp(l2[b...] - m[b...])*o2[b..., d])/z[b...];
    lse[b...] = m[b...] + log(z[b...]);
}

// ---- its parts: scores, what is done to them, what is made of them ----

/// q k^T / sqrt D, of every query head with its keys.
fn attention_scores<T>(q: T[B, G*R, M, D], k: T[B, G, N, D]) -> (s: acc(T)[B, G*R, M, N]) {
    s[b, h, i, j] = sum[d](q[b, h, i, d]*k[b, h/R, j, d])*rsqrt(acc(T)(D));
}

/// softmax(s) v; a score of -inf takes no part.
fn attend<T>(s: acc(T)[B, G*R, M, N], v: T[B, G, N, E]) -> (o: acc(T)[B, G*R, M, E]) {
    let m[b, h, i] = max[j](s[b, h, i, j]);
    let e[b, h, i, j] = exp(s[b, h, i, j] - m[b, h, i]);
    let z[b, h, i] = sum[j](e[b, h, i, j]);
    o[b, h, i, d] = sum[j](T(e[b, h, i, j])*v[b, h/R, j, d])/z[b, h, i];
}

/// Scores with -inf where query i does not see key j; causal, lower_right and window as in attention.
fn mask_scores<T, causal: bool = true, lower_right: bool = false, window: int = 0>(s: T[B, H, M, N])
        -> (t: T[B, H, M, N]) {
    t[b, h, i, j] = if _sees(causal, lower_right, window, i, j, M, N) then s[b, h, i, j] else -inf;
}

/// mask_scores as a mask, true where query i sees key j. M and N by name.
fn attention_mask<causal: bool = true, lower_right: bool = false, window: int = 0>() -> (mask: bool[M, N]) {
    mask[i, j] = _sees(causal, lower_right, window, i, j, M, N);
}

/// Whether query and key are of one document: equal segment numbers. [B, M], [B, N] to [B, M, N].
fn segment_mask<I>(q_seg: I[B, M], k_seg: I[B, N]) -> (mask: bool[B, M, N]) {
    mask[b, i, j] = q_seg[b, i] == k_seg[b, j];
}

// ---- softmax of given scores, with what is done before and after ----

/// softmax over the last axis of scale*x where mask, of fill where not: fused_scale_mask_softmax. Mask: true is kept.
fn scale_mask_softmax<T>(x: T[B..., N], mask: bool[B..., N], scale: acc(T) = 1, fill: acc(T) = -10000)
        -> (y: acc(T)[B..., N]) {
    let s[b..., n] = if mask[b..., n] then x[b..., n]*scale else fill;
    y = _softmax(s);
}

/// The gradient of scale_mask_softmax with respect to x, of its result y: scale y (dy - sum dy y) where mask, else 0.
fn scale_mask_softmax_grad<T>(y: T[B..., N], dy: T[B..., N], mask: bool[B..., N], scale: acc(T) = 1)
        -> (dx: acc(T)[B..., N]) {
    let s[b...] = sum[n](dy[b..., n]*y[b..., n]);
    dx[b..., n] = if mask[b..., n] then scale*y[b..., n]*(dy[b..., n] - s[b...]) else 0;
}

/// softmax over the last axis of scale*x where j <= i + diagonal, of fill elsewhere: fused_scale_tril_softmax.
fn scale_tril_softmax<T>(x: T[B..., M, N], diagonal: i32 = 0, scale: acc(T) = 1, fill: acc(T) = -inf)
        -> (y: acc(T)[B..., M, N]) {
    let s[b..., i in M, j in N] = if j <= i + diagonal then x[b..., i, j]*scale else fill;
    y = _softmax(s);
}

/// softmax over the last axis of scale*x + mask + bias, mask [B, N] as it is added to every head and row, bias
/// [H, M, N]: fused_scale_mask_bias_softmax (AlphaFold's attention over rows).
fn scale_mask_bias_softmax<T>(x: T[B, H, M, N], mask: T[B, N], bias: T[H, M, N], scale: acc(T) = 1)
        -> (y: acc(T)[B, H, M, N]) {
    let s[b, h, i, j] = x[b, h, i, j]*scale + mask[b, j] + bias[h, i, j];
    y = _softmax(s);
}

/// p = softmax of (x + bias)*scale where mask, of fill elsewhere; y = p/(1 - rate) where keep, else 0:
/// fused_bias_add_scale_mask_softmax_dropout. bias [H, M, N], mask [B, N]; keep is the dropout's mask, true is kept.
fn bias_scale_mask_softmax_dropout<T>(x: T[B, H, M, N], bias: T[H, M, N], mask: bool[B, N], keep: bool[B, H, M, N],
                                      scale: acc(T) = 1, fill: acc(T) = -10000, rate: acc(T) = 0)
        -> (y: acc(T)[B, H, M, N], p: acc(T)[B, H, M, N]) {
    let s[b, h, i, j] = if mask[b, j] then (x[b, h, i, j] + bias[h, i, j])*scale else fill;
    let r = _softmax(s);
    y[b, h, i, j] = if keep[b, h, i, j] then r[b, h, i, j]/(1 - rate) else 0;
    p = r;
}

fn _softmax<T>(x: T[B..., N]) -> (y: acc(T)[B..., N]) {
    let m[b...] = max[n](x[b..., n]);
    let e[b..., n] = exp(x[b..., n] - m[b...]);
    let z[b...] = sum[n](e[b..., n]);
    y[b..., n] = e[b..., n]/z[b...];
}

// ---- keys and values kept from before ----

/// Past and new keys (or values) one after the other along the sequence: torch.cat((past, new), 2).
fn concat_past<T>(past: T[B, H, P, D], new: T[B, H, M, D]) -> (y: T[B, H, P + M, D]) {
    y[b, h, i in P, d] = past[b, h, i, d];
    y[b, h, P + i, d] = new[b, h, i, d];
}

/// concat_past for keys and values at once: fused_attention_concat_past_key_value.
fn concat_past_kv<T>(past_k: T[B, H, P, D], past_v: T[B, H, P, E], k: T[B, H, M, D], v: T[B, H, M, E])
        -> (out_k: T[B, H, P + M, D], out_v: T[B, H, P + M, E]) {
    out_k = concat_past(past_k, k);
    out_v = concat_past(past_v, v);
}

/// Writes new keys (or values) into a cache of L places, from place `at` on.
fn kv_append<T>(inout cache: T[B, H, L, D], new: T[B, H, M, D], at: int) -> (last: i64[]) {
    require at + M <= L, "the cache is full";
    cache[b, h, at + i, d] = new[b, h, i, d];
    last[] = i64(at + M);
}

/// attention of M new queries to caches of which len[b] places are in use, theirs included: query i sees the keys
/// j <= len[b] - M + i. M = 1 is a step of decoding. M <= len[b] <= L.
fn attention_cached<T, I>(q: T[B, G*R, M, D], k: T[B, G, L, D], v: T[B, G, L, E], len: I[B])
        -> (o: acc(T)[B, G*R, M, E]) {
    assume M <= len[b] && len[b] <= L;
    let s[b, h, i, j] = sum[d](q[b, h, i, d]*k[b, h/R, j, d])*rsqrt(acc(T)(D));
    let m[b, h, i] = max[j where j <= len[b] - M + i](s[b, h, i, j]);
    let e[b, h, i, j] = exp(s[b, h, i, j] - m[b, h, i]);
    let z[b, h, i] = sum[j where j <= len[b] - M + i](e[b, h, i, j]);
    o[b, h, i, d] = sum[j where j <= len[b] - M + i](T(e[b, h, i, j])*v[b, h/R, j, d])/z[b, h, i];
}

/// One step of decoding with keys and values in pages of S places: place j of sequence b is place j%S of page
/// table[b, j/S]. Kwon et al. 2023, arXiv:2309.06180. q: T[B, G*R, D], pages: T[P, S, G, D], 1 <= len[b] <= S*C,
/// 0 <= table < P.
fn attention_paged<T, I>(q: T[B, G*R, D], k: T[P, S, G, D], v: T[P, S, G, E], table: I[B, C], len: I[B])
        -> (o: acc(T)[B, G*R, E]) {
    assume 0 <= len[b] && len[b] <= S*C;
    assume 0 <= table[b, c] && table[b, c] < P;
    let s[b, h, j in S*C] = sum[d](q[b, h, d]*k[table[b, j/S], j%S, h/R, d])*rsqrt(acc(T)(D));
    let m[b, h] = max[j in 0..len[b]](s[b, h, j]);
    let e[b, h, j] = exp(s[b, h, j] - m[b, h]);
    let z[b, h] = sum[j in 0..len[b]](e[b, h, j]);
    o[b, h, d] = sum[j in 0..len[b]](T(e[b, h, j])*v[table[b, j/S], j%S, h/R, d])/z[b, h];
}

/// attention of packed sequences of different lengths: sequence b has the queries q_start[b]..q_start[b + 1] and the
/// keys k_start[b]..k_start[b + 1]; seq[i] is the sequence of query i (sequence_of). causal counts from the starts.
/// 0 <= k_start <= N, 0 <= seq < B. Tensors are [M, H, D].
fn attention_varlen<T, I, causal: bool = false>
        (q: T[M, G*R, D], k: T[N, G, D], v: T[N, G, E], seq: I[M], q_start: I[B + 1], k_start: I[B + 1])
        -> (o: acc(T)[M, G*R, E]) {
    assume 0 <= seq[i] && seq[i] < B;
    assume 0 <= k_start[c] && k_start[c] <= N;
    let lo[i] = k_start[seq[i]];
    let hi[i] = k_start[seq[i] + 1];
    let first[i] = q_start[seq[i]];
    let s[i, h, j] = sum[d](q[i, h, d]*k[j, h/R, d])*rsqrt(acc(T)(D));
    let m[i, h] = max[j where lo[i] <= j && j < hi[i] && (!causal || j - lo[i] <= i - first[i])](s[i, h, j]);
    let e[i, h, j] = exp(s[i, h, j] - m[i, h]);
    let z[i, h] = sum[j where lo[i] <= j && j < hi[i] && (!causal || j - lo[i] <= i - first[i])](e[i, h, j]);
    o[i, h, d] = sum[j where lo[i] <= j && j < hi[i] && (!causal || j - lo[i] <= i - first[i])](
        T(e[i, h, j])*v[j, h/R, d])/z[i, h];
}

/// The sequence of each packed token, from the sequences' starts, ascending from 0: how many of start[1..B] are <= i.
/// M by name.
fn sequence_of<I>(start: I[B + 1]) -> (seq: i32[M]) {
    seq[i] = sum[b in 0..B](i32(start[b + 1] <= i));
}

/// Keys (or values) of G heads for R times as many: head h is head h/R. torch.repeat_interleave(x, R, 1). R by name.
fn repeat_kv<T>(x: T[B, G, N, D]) -> (y: T[B, G*R, N, D]) {
    y[b, h, j, d] = x[b, h/R, j, d];
}

// ---- positions ----

/// Cosine and sine of pos[s]/base^(d/D) for d < D, half the size of a head: the angles of rotary embeddings.
/// Su et al. 2021, arXiv:2104.09864. T and D by name.
fn rope_table<T, I>(pos: I[S], base: acc(T) = 10000) -> (c: acc(T)[S, D], s: acc(T)[S, D]) {
    let a[i in S, d in D] = acc(T)(pos[i])*base**(-acc(T)(d)/acc(T)(D));
    c[i, d] = cos(a[i, d]);
    s[i, d] = sin(a[i, d]);
}

/// Rotary embedding that pairs element d with d + D, as GPT-NeoX, LLaMA (Hugging Face): (x1, x2) becomes
/// (x1 c - x2 s, x2 c + x1 s). x: T[..., S, 2*D]; cosines and sines [S, D] as rope_table gives them.
fn rope<T, U>(x: T[B..., S, 2*D], c: U[S, D], s: U[S, D]) -> (y: acc(T)[B..., S, 2*D]) {
    y[b..., i, d] = if d < D then x[b..., i, d]*c[i, d] - x[b..., i, D + d]*s[i, d]
                    else x[b..., i, d]*c[i, d - D] + x[b..., i, d - D]*s[i, d - D];
}

/// Rotary embedding that pairs elements 2d and 2d + 1, as GPT-J and LLaMA's own code.
fn rope_interleaved<T, U>(x: T[B..., S, 2*D], c: U[S, D], s: U[S, D]) -> (y: acc(T)[B..., S, 2*D]) {
    y[b..., i, 2*d] = x[b..., i, 2*d]*c[i, d] - x[b..., i, 2*d + 1]*s[i, d];
    y[b..., i, 2*d + 1] = x[b..., i, 2*d + 1]*c[i, d] + x[b..., i, 2*d]*s[i, d];
}

/// rope of the first 2*D elements of each head; the E after them stay. D follows from the tables.
fn rope_partial<T, U>(x: T[B..., S, 2*D + E], c: U[S, D], s: U[S, D]) -> (y: acc(T)[B..., S, 2*D + E]) {
    y[b..., i, d] = if d < D then x[b..., i, d]*c[i, d] - x[b..., i, D + d]*s[i, d]
                    else if d < 2*D then x[b..., i, d]*c[i, d - D] + x[b..., i, d - D]*s[i, d - D]
                    else x[b..., i, d];
}

/// rope at places of its own for each sequence: pos[b, i] chooses the row of the tables [P, D]. 0 <= pos < P.
fn rope_at<T, U, I>(x: T[B, H, S, 2*D], c: U[P, D], s: U[P, D], pos: I[B, S]) -> (y: acc(T)[B, H, S, 2*D]) {
    assume 0 <= pos[b, i] && pos[b, i] < P;
    y[b, h, i, d] = if d < D then x[b, h, i, d]*c[pos[b, i], d] - x[b, h, i, D + d]*s[pos[b, i], d]
                    else x[b, h, i, d]*c[pos[b, i], d - D] + x[b, h, i, d - D]*s[pos[b, i], d - D];
}

/// The gradient of rope: the rotation back.
fn rope_grad<T, U>(dy: T[B..., S, 2*D], c: U[S, D], s: U[S, D]) -> (dx: acc(T)[B..., S, 2*D]) {
    let t[i, d] = -s[i, d];
    dx = rope(dy, c, t);
}

/// Sines and cosines of positions: element d < D of row i is sin(i/10000^(d/D)), element D + d its cosine (the order of
/// tensor2tensor). Vaswani et al. 2017. T, S and D by name.
fn sinusoidal_positions<T>() -> (y: T[S, 2*D]) {
    let a[i in S, d in D] = acc(T)(i)*acc(T)(10000)**(-acc(T)(d)/acc(T)(D));
    y[i, d in D] = sin(a[i, d]);
    y[i, D + d] = cos(a[i, d]);
}

/// The bucket of a distance key - query: exact up to half of the buckets (of each sign's, where bidirectional), then by
/// its logarithm up to max_distance. T5, Raffel et al. 2019, arXiv:1910.10683, as Hugging Face computes it in f32.
fn t5_bucket<bidirectional: bool = true, buckets: int = 32, max_distance: int = 128>(distance: i64) -> i64 {
    let n: i64 = if bidirectional then buckets/2 else buckets;
    let a: i64 = if bidirectional then abs(distance) else max(-distance, 0);
    let exact: i64 = n/2;
    let far = f32(exact) + floor(log(f32(max(a, 1))/f32(exact))/log(f32(max_distance)/f32(exact))*f32(n - exact));
    let place: i64 = if a < exact then a else min(i64(far), n - 1);
    return place + (if bidirectional && distance > 0 then n else 0);
}

/// T5's bias of M queries and N keys from a table of buckets: table[t5_bucket(j - i), h]. M and N by name.
fn t5_bias<T, bidirectional: bool = true, max_distance: int = 128, buckets: int = 32>(table: T[buckets, H])
        -> (bias: T[H, M, N]) {
    let at: i64[i in M, j in N] =
        clamp(t5_bucket(i64(j - i), bidirectional = bidirectional, buckets = buckets, max_distance = max_distance), 0,
              buckets - 1);
    bias[h, i, j] = table[at[i, j], h];
}

/// The slope of head h of n: 2^(-8(h + 1)/n) where n is a power of two; else those of the power below, then every other
/// one of the power above. Press et al. 2021, arXiv:2108.12409.
fn alibi_slope(h: int, n: int) -> f32 {
    let p = exp2(floor(log2(f64(n)) + 1e-9));
    let e = if f64(h) < p then (f64(h) + 1)/p else (2*(f64(h) - p) + 1)/(2*p);
    return f32(exp2(-8*e));
}

/// ALiBi's bias of H heads, M queries and N keys, the last query beside the last key: slope[h] (j - i - (N - M)).
/// T, H, M and N by name.
fn alibi_bias<T>() -> (bias: T[H, M, N]) {
    bias[h, i, j] = alibi_slope(h, H)*acc(T)(j - i - (N - M));
}

/// A learned bias of relative positions within windows of P by Q places, table[((i/Q - j/Q) + P - 1)*(2*Q - 1) +
/// i%Q - j%Q + Q - 1, h]. Swin, Liu et al. 2021, arXiv:2103.14030. P and Q by name.
fn swin_bias<T, P: int, Q: int>(table: T[(2*P - 1)*(2*Q - 1), H]) -> (bias: T[H, P*Q, P*Q]) {
    bias[h, i, j] = table[(i/Q - j/Q + P - 1)*(2*Q - 1) + i%Q - j%Q + Q - 1, h];
}

// ---- layers ----

/// One projection of x to queries, keys and values of H heads: x w^T + b in three thirds, in heads. w: T[3*(H*D), C].
/// H by name.
fn qkv_heads<T>(x: T[B, S, C], w: T[3*(H*D), C], b: T[3*(H*D)] = 0)
        -> (q: acc(T)[B, H, S, D], k: acc(T)[B, H, S, D], v: acc(T)[B, H, S, D]) {
    q[n, h, s, d] = b[h*D + d] + sum[c](x[n, s, c]*w[h*D + d, c]);
    k[n, h, s, d] = b[H*D + h*D + d] + sum[c](x[n, s, c]*w[H*D + h*D + d, c]);
    v[n, h, s, d] = b[2*(H*D) + h*D + d] + sum[c](x[n, s, c]*w[2*(H*D) + h*D + d, c]);
}

/// Self-attention with its projections, torch.nn.MultiheadAttention with batch_first: q, k, v = x wqkv^T + bqkv in
/// heads, rounded to T; y = attention wo^T + bo. H by name.
fn self_attention<T, causal: bool = false>
        (x: T[B, S, H*D], wqkv: T[3*(H*D), H*D], bqkv: T[3*(H*D)], wo: T[H*D, H*D], bo: T[H*D])
        -> (y: acc(T)[B, S, H*D]) {
    let (q, k, v) = qkv_heads(x, wqkv, bqkv, H = H);
    let qr: T[b, h, s, d] = q[b, h, s, d];
    let kr: T[b, h, s, d] = k[b, h, s, d];
    let vr: T[b, h, s, d] = v[b, h, s, d];
    let a = attention(qr, kr, vr, causal = causal);
    let o: T[b in B, s in S, h in H, d in D] = a[b, h, s, d];
    y[b, s, f] = bo[f] + sum[h, d](o[b, s, h, d]*wo[f, h*D + d]);
}

/// Attention of x to another sequence: queries from x, keys and values from context; weights as of torch.nn.Linear.
/// H by name.
fn cross_attention<T>(x: T[B, M, C], context: T[B, N, K], wq: T[H*D, C], wk: T[H*D, K], wv: T[H*D, K], wo: T[C, H*D],
                      bo: T[C] = 0)
        -> (y: acc(T)[B, M, C]) {
    let q: T[b in B, h in H, i in M, d in D] = sum[c](x[b, i, c]*wq[h*D + d, c]);
    let k: T[b in B, h in H, j in N, d in D] = sum[c](context[b, j, c]*wk[h*D + d, c]);
    let v: T[b in B, h in H, j in N, d in D] = sum[c](context[b, j, c]*wv[h*D + d, c]);
    let a = attention(q, k, v);
    let o: T[b in B, i in M, h in H, d in D] = a[b, h, i, d];
    y[b, i, f] = bo[f] + sum[h, d](o[b, i, h, d]*wo[f, h*D + d]);
}

/// Attention without a softmax, y = f(q) (f(k)^T v) / (f(q) sum f(k)) with f(x) = elu(x) + 1, in time linear in N.
/// Katharopoulos et al. 2020, arXiv:2006.16236.
fn linear_attention<T>(q: T[B, H, M, D], k: T[B, H, N, D], v: T[B, H, N, E], eps: acc(T) = 1e-6)
        -> (o: acc(T)[B, H, M, E]) {
    let kv[b, h, d, e] = sum[j](_elu1(k[b, h, j, d])*v[b, h, j, e]);
    let z[b, h, d] = sum[j](_elu1(k[b, h, j, d]));
    o[b, h, i, e] = sum[d](_elu1(q[b, h, i, d])*kv[b, h, d, e])/(sum[d](_elu1(q[b, h, i, d])*z[b, h, d]) + eps);
}

fn _elu1(x) = if x > 0 then x + 1 else exp(x);
