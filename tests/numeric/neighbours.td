// Folds of groups of neighbours within rows, over all rows: nobody says how many neighbours a group has.
export fn sums(x: f32[N, T, G*K]) -> (s: f32[N, G]) { s[n, g in G] = sum[t, k in K](x[n, t, g*K + k]); }
check sums(N = 2, T = 37, G = 5, K = 3);
check sums(N = 1, T = 700, G = 2, K = 9);
check sums(N = 3, T = 1, G = 1, K = 1);
check sums(N = 2, T = 0, G = 3, K = 4);
check sums(N = 0, T = 5, G = 3, K = 4);
check sums(N = 33, T = 6, G = 1, K = 40);

export fn even(x: f16[T, 4*K]) -> (m: f16[4], s: f32[4]) {
    m[g] = max[t, k in K where (t + k) % 2 == 0](x[t, g*K + k]);
    s[g] = sum[t, k in K where x[t, g*K + k] > 0](x[t, g*K + k]);
}
check even(T = 19, K = 7);
check even(T = 300, K = 1);
check even(T = 1, K = 33);

export fn spread(x: bf16[N, H, W, 8*K]) -> (mu: f32[N, 8], va: f32[N, 8]) {
    mu[n, g] = mean[h, w, k in K](x[n, h, w, g*K + k]);
    va[n, g] = mean[h, w, k in K]((x[n, h, w, g*K + k] - mu[n, g]) ** 2);
}
check spread(N = 2, H = 9, W = 5, K = 3);
check spread(N = 1, H = 33, W = 21, K = 5);
check spread(N = 5, H = 1, W = 2, K = 16);
check spread(N = 1, H = 1, W = 1, K = 1);
