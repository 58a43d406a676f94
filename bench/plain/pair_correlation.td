// The correlation of pairs of rows of genotypes, 0 to 2.
export fn pair_correlation(x: i8[N, D], p: i32[P, 2]) -> (r: f32[P]) {
    assume 0 <= p[k, a] && p[k, a] < N;
    let mu[n] = mean[d](f32(x[n, d]));
    let len[n] = sqrt(sum[d]((f32(x[n, d]) - mu[n]) ** 2));
    let dot[k] = sum[d]((f32(x[p[k, 0], d]) - mu[p[k, 0]]) * (f32(x[p[k, 1], d]) - mu[p[k, 1]]));
    r[k] = dot[k] / max(len[p[k, 0]] * len[p[k, 1]], 1e-12);
}
check pair_correlation(N = 23, D = 41, P = 101) with x in 0..3;
bench pair_correlation(N = 20000, D = 2001, P = 20000) with x in 0..3;
