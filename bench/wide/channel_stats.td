// Mean and deviation of the three channels of all images.
export fn channel_stats(x: f16[N, H, W, 3]) -> (mu: f32[3], dev: f32[3]) {
    mu[c] = mean[n, i, j](x[n, i, j, c]);
    dev[c] = sqrt(mean[n, i, j]((x[n, i, j, c] - mu[c]) ** 2));
}
check channel_stats(N = 2, H = 7, W = 9);
bench channel_stats(N = 64, H = 512, W = 512);
