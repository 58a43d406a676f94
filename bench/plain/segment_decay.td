// How much of each step is left at each later one of its chunk: the exponentials of sums of logarithms between them.
export fn segment_decay(a: f32[B, H, C, 64]) -> (y: bf16[B, H, C, 64, 64], last: f32[B, H, C]) {
    let s[b, h, c, i in 64] = sum[k where k <= i](a[b, h, c, k]);
    y[b, h, c, i, j] = if j <= i then exp(s[b, h, c, i] - s[b, h, c, j]) else 0;
    last[b, h, c] = exp(s[b, h, c, 63]);
}
check segment_decay(B = 2, H = 3, C = 2) with a in -0.2..0.0;
bench segment_decay(B = 4, H = 32, C = 64) with a in -0.2..0.0;
