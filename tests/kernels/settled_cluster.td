// Rows of a length that is not known, for the blocks of a cluster, of which each has as many warps as a row needs.
export fn settled_cluster(x: bf16[M, N]) -> (y: f32[M, N], top: f32[M]) {
    let m[r] = max[n](x[r, n]);
    let s[r] = sum[n](exp(x[r, n] - m[r]));
    y[r, n] = exp(x[r, n] - m[r]) / (s[r] + 1.0);
    top[r] = m[r];
}

check settled_cluster(M = 1, N = 1);
check settled_cluster(M = 3, N = 0);
check settled_cluster(M = 2, N = 127);
check settled_cluster(M = 2, N = 512);
check settled_cluster(M = 3, N = 1025);
check settled_cluster(M = 5, N = 1537);
check settled_cluster(M = 2, N = 2040);
