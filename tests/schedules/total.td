// Few results of many elements: shares of many blocks, then their fold.
dim N hint 100000;
dim M hint 4096;
export fn total(x: f32[N, 3], w: bf16[M, N]) -> (l: f32[], c: f32[3], r: f32[M]) {
    l[] = mean[i, j](x[i, j] * x[i, j]);
    c[j] = max[i where x[i, j] < 1.5](x[i, j]) + sum[i](x[i, j]);
    r[i] = sum[j](w[i, j]);
}
check total(N = 1037, M = 3);
check total(N = 1, M = 1);
check total(N = 0, M = 2);
check total(N = 4096, M = 5);
