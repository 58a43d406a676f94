// Rotary embedding of neighbouring pairs.
export fn rotary_pairs(x: bf16[B, S, H, 2*D], c: f32[S, D], s: f32[S, D]) -> (y: bf16[B, S, H, 2*D]) {
    y[b, i, h, 2*d] = x[b, i, h, 2*d] * c[i, d] - x[b, i, h, 2*d + 1] * s[i, d];
    y[b, i, h, 2*d + 1] = x[b, i, h, 2*d + 1] * c[i, d] + x[b, i, h, 2*d] * s[i, d];
}
check rotary_pairs(B = 2, S = 5, H = 3, D = 8);
bench rotary_pairs(B = 8, S = 2048, H = 16, D = 64);
