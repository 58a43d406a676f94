// Keys to two bits, with a scale and an origin for each channel of 32 tokens, and how far off they are.
export fn key_cache_groups(k: f16[B, H, 32*G, D]) -> (q: u8[B, H, 32*G, D], lo: f16[B, H, G, D], step: f16[B, H, G, D], err: f32[]) {
    let least[b, h, g, d] = min[t in 0..32](k[b, h, 32*g + t, d]);
    let s[b, h, g, d] = max((max[t in 0..32](k[b, h, 32*g + t, d]) - least[b, h, g, d]) / 3, 1e-4);
    let n[b, h, t, d] = clamp(round((k[b, h, t, d] - least[b, h, t / 32, d]) / s[b, h, t / 32, d]), 0, 3);
    q[b, h, t, d] = u8(n[b, h, t, d]);
    lo[b, h, g, d] = least[b, h, g, d];
    step[b, h, g, d] = s[b, h, g, d];
    err[] = mean[b, h, t, d]((n[b, h, t, d] * s[b, h, t / 32, d] + least[b, h, t / 32, d] - k[b, h, t, d]) ** 2);
}
check key_cache_groups(B = 2, H = 3, G = 2, D = 13);
bench key_cache_groups(B = 8, H = 8, G = 64, D = 128);
