// Rows of a few elements, and of a length that is not known: a warp has several of them, and the last warps and blocks
// have none left. Where the number of rows is known it is no multiple of those either.
export fn standardised(x: f32[B, M, N], g: f16[N]) -> (y: f32[B, M, N], mu: f32[B, M]) {
    mu[b, i] = mean[k](x[b, i, k]);
    let v[b, i] = mean[k]((x[b, i, k] - mu[b, i]) * (x[b, i, k] - mu[b, i]));
    y[b, i, j] = (x[b, i, j] - mu[b, i]) * rsqrt(v[b, i] + 0.01) * g[j];
}
export eight = standardised(B = 3, M = 8);
export seven = standardised(B = 1, M = 7);
export fn in_place(inout x: bf16[M, N]) { x[i, j] = exp(x[i, j] - max[k](x[i, k])); }
export fn longest(x: f16[M, N], ids: i32[M]) -> (y: f32[M], at: i64[M]) {
    assume ids[i] >= 0 && ids[i] < M;
    y[i] = max[j](abs(x[ids[i], j]));
    at[i] = argmax[j](x[ids[i], j]);
}

check standardised(B = 2, M = 5, N = 1);
check standardised(B = 5, M = 33, N = 3);
check standardised(B = 1, M = 70, N = 12);
check standardised(B = 2, M = 16, N = 32);
check standardised(B = 2, M = 9, N = 100);
check eight(N = 4);
check eight(N = 5);
check eight(N = 64);
check seven(N = 2);
check seven(N = 24);
check in_place(M = 1, N = 1);
check in_place(M = 37, N = 2);
check in_place(M = 130, N = 8);
check in_place(M = 19, N = 31);
check in_place(M = 19, N = 64);
check longest(M = 7, N = 1);
check longest(M = 70, N = 6);
check longest(M = 33, N = 16);
check longest(M = 0, N = 16);
