// What an optimizer without a rate needs of all parameters: how they have moved along the gradient, and its size.
export fn prodigy_sums(p: bf16[M, N], start: bf16[M, N], g: bf16[M, N], inout s: f32[M, N], d: f32) -> (num: f32[], den: f32[], rows: f32[M]) {
    s[i, j] = 0.999 * s[i, j] + 0.001 * d * g[i, j];
    num[] = d * sum[i, j](g[i, j] * (start[i, j] - p[i, j]));
    den[] = sum[i, j](abs(new(s)[i, j]));
    rows[i] = max[j](abs(p[i, j] - start[i, j]));
}
check prodigy_sums(M = 7, N = 37, d = 0.01);
bench prodigy_sums(M = 4096, N = 2050, d = 0.01);
