// Indices as numbers: from 32 bits where they fit these.
export fn distances(s: f32[L, L], w: f32) -> (y: f32[L, L], z: bf16[L, L]) {
    y[i, j] = s[i, j] + w * (j - i);
    z[i, j] = bf16(3 * i - 2 * j) + bf16(max(i, j) / 2);
}
check distances(L = 1, w = 0.5);
check distances(L = 37, w = 0.25);
check distances(L = 300, w = -1);
