// Mean and maximum over the tokens of each image.
export fn middle_mean_max(x: f32[B, S, D]) -> (mu: f32[B, D], top: f32[B, D]) {
    mu[b, d] = mean[s](x[b, s, d]);
    top[b, d] = max[s](x[b, s, d]);
}
check middle_mean_max(B = 3, S = 29, D = 13);
bench middle_mean_max(B = 256, S = 197, D = 768);
