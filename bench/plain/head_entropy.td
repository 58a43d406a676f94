// The mean entropy of each head's attention, over batch and queries that are not padding.
export fn head_entropy(p: f16[B, H, M, N], real: bool[B, M]) -> (e: f32[H], sharp: i32[H]) {
    let s[b, h, i] = -sum[j](if p[b, h, i, j] > 0 then p[b, h, i, j] * log(p[b, h, i, j]) else 0);
    e[h] = mean[b, i where real[b, i]](s[b, h, i]);
    sharp[h] = sum[b, i where real[b, i]](s[b, h, i] < 1);
}
check head_entropy(B = 3, H = 2, M = 7, N = 37) with p in 0.0..1.0;
bench head_entropy(B = 8, H = 12, M = 500, N = 500) with p in 0.0..1.0;
