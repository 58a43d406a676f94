// Windows that reach over the border: what pad supplies must not win a maximum, and a mean may leave it out.
dim H in 1..=4096;
dim W in 1..=4096;
dim L in 1..=65536;

/// Largest of each 3 by 2 window, two rows and one column a step, one row of border.
export fn pool_max(x: bf16[N, C, H, W]) -> (y: bf16[N, C, (H + 1) / 2, W]) {
    y[n, c, p, q] = max[r in 0..3, s in 0..2](pad(x[n, c, 2*p + r - 1, q + s], -inf));
}
check pool_max(N = 1, C = 1, H = 1, W = 1);
check pool_max(N = 2, C = 3, H = 11, W = 7);
check pool_max(N = 1, C = 5, H = 4, W = 37);
check pool_max(N = 0, C = 2, H = 3, W = 3);

/// Mean of each window of five, two places a step: once with the border as zeros, once over what is inside.
export fn pool_mean(x: f32[N, L]) -> (whole: f32[N, (L + 1) / 2], inside: f32[N, (L + 1) / 2]) {
    whole[n, p] = mean[r in 0..5](pad(x[n, 2*p + r - 2], 0.0));
    inside[n, p] = mean[r in 0..5 where 2*p + r >= 2 && 2*p + r - 2 < L](x[n, 2*p + r - 2]);
}
check pool_mean(N = 1, L = 1);
check pool_mean(N = 7, L = 53);
check pool_mean(N = 129, L = 2);
check pool_mean(N = 0, L = 6);
