// A step of Adam whose first moment is kept in bytes, with a scale for 256 of them.
export fn adam_bytes(inout p: f32[256*G], inout m: i8[256*G], inout s: f32[G], inout v: f32[256*G], g: bf16[256*G]) {
    let n[i] = 0.9 * f32(m[i]) * s[i / 256] + 0.1 * g[i];
    s[k] = max(max[j in 0..256](abs(n[256*k + j])), 1e-20) / 127;
    m[i] = i8(round(n[i] / new(s)[i / 256]));
    v[i] = 0.99 * v[i] + 0.01 * g[i] ** 2;
    p[i] = p[i] - 0.001 * n[i] / (sqrt(new(v)[i]) + 1e-8);
}
check adam_bytes(G = 3) with s in 0.0..0.01, v in 0.0..1.0;
bench adam_bytes(G = 32768) with s in 0.0..0.01, v in 0.0..1.0;
