// Statistics of groups of neighbours within rows; nobody says how many neighbours a group has.
export fn spread(x: bf16[N, H, W, 8*K]) -> (mu: f32[N, 8], va: f32[N, 8]) {
    mu[n, g] = mean[h, w, k in K](x[n, h, w, g*K + k]);
    va[n, g] = mean[h, w, k in K]((x[n, h, w, g*K + k] - mu[n, g]) ** 2);
}
check spread(N = 2, H = 9, W = 5, K = 3);
check spread(N = 5, H = 1, W = 2, K = 16);
check spread(N = 1, H = 1, W = 1, K = 1);
