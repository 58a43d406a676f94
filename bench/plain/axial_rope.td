// Rotations of image tokens: the first half of a head by the row, the second by the column.
export fn axial_rope(x: bf16[B, P, Q, H, 64], freq: f32[16]) -> (y: bf16[B, P, Q, H, 64]) {
    let a[p in P, q in Q, d in 32] = f32(if d < 16 then p else q) * freq[d % 16];
    y[b, p, q, h, 2*d] = x[b, p, q, h, 2*d] * cos(a[p, q, d]) - x[b, p, q, h, 2*d + 1] * sin(a[p, q, d]);
    y[b, p, q, h, 2*d + 1] = x[b, p, q, h, 2*d + 1] * cos(a[p, q, d]) + x[b, p, q, h, 2*d] * sin(a[p, q, d]);
}
check axial_rope(B = 2, P = 3, Q = 5, H = 2) with freq in 0.0..1.0;
bench axial_rope(B = 16, P = 37, Q = 37, H = 16) with freq in 0.0..1.0;
