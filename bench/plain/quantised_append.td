// New keys and values, quantised with a scale for each head, into the places of a paged cache.
export fn quantised_append(inout q: i8[2, P, 16, H, D], inout s: f32[2, P, 16, H], kv: bf16[2, T, H, D], slot: i32[T]) {
    assume 0 <= slot[t] && slot[t] < 16*P;
    let scale[c, t, h] = max(max[d](abs(kv[c, t, h, d])) / 127, 1e-8);
    s[c, slot[t] / 16, slot[t] % 16, h] = scale[c, t, h];
    q[c, slot[t] / 16, slot[t] % 16, h, d] = i8(round(kv[c, t, h, d] / scale[c, t, h]));
}
check quantised_append(P = 3, H = 2, D = 24, T = 7);
bench quantised_append(P = 1024, H = 8, D = 128, T = 8192);
