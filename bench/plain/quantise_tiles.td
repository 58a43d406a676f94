// A weight in fp8 with one scale for each tile of 128 by 128.
export fn quantise_tiles(w: bf16[128*P, 128*Q]) -> (q: f8e4m3[128*P, 128*Q], scale: f32[P, Q]) {
    scale[p, k] = max(max[i in 0..128, j in 0..128](abs(w[128*p + i, 128*k + j])), 1e-12) / 448;
    q[i, j] = w[i, j] / scale[i / 128, j / 128];
}
check quantise_tiles(P = 2, Q = 3);
bench quantise_tiles(P = 40, Q = 56);
