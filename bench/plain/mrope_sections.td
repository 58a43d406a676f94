// Rotary embedding of images and text: time, height and width each turn their own section of a head.
export fn mrope_sections(x: bf16[B, S, H, 128], pos: i32[3, B, S], freq: f32[64]) -> (y: bf16[B, S, H, 128]) {
    let a[b, s, d in 64] = f32(pos[if d < 16 then 0 else if d < 40 then 1 else 2, b, s]) * freq[d];
    let c[b, s, d] = cos(a[b, s, d]);
    let n[b, s, d] = sin(a[b, s, d]);
    y[b, s, h, d in 64] = x[b, s, h, d] * c[b, s, d] - x[b, s, h, d + 64] * n[b, s, d];
    y[b, s, h, 64 + d in 64] = x[b, s, h, d + 64] * c[b, s, d] + x[b, s, h, d] * n[b, s, d];
}
check mrope_sections(B = 2, S = 5, H = 3) with pos in 0..20, freq in 0.0..1.0;
bench mrope_sections(B = 4, S = 2048, H = 28) with pos in 0..20, freq in 0.0..1.0;
