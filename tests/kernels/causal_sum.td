// Sums of the lower triangle.
export fn causal_sum(x: f32[M, M]) -> (y: f32[M]) {
    y[i] = sum[j in 0..i + 1](x[i, j]);
}

check causal_sum(M = 5);
check causal_sum(M = 90);
