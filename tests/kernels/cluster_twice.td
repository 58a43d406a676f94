// Softmax of rows that are longer than what a cluster's blocks hold.
export fn cluster_twice(x: f32[M, N]) -> (y: f32[M, N]) {
    let m[r] = max[n](x[r, n]);
    let z[r] = sum[n](exp(x[r, n] - m[r]));
    y[r, n] = exp(x[r, n] - m[r]) / z[r];
}

check cluster_twice(M = 5, N = 7);
check cluster_twice(M = 3, N = 1700);
check cluster_twice(M = 2, N = 1);
check cluster_twice(M = 3, N = 0);
