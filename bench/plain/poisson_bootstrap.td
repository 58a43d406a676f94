// Bootstrap with counts drawn beforehand: means and least values of each replicate for four columns.
export fn poisson_bootstrap(count: u8[B, N], x: f32[N, 4]) -> (m: f32[B, 4], low: f32[B, 4]) {
    let n[b] = f32(max(sum[i](count[b, i]), 1));
    m[b, c] = sum[i](f32(count[b, i]) * x[i, c]) / n[b];
    low[b, c] = min[i where count[b, i] > 0](x[i, c]);
}
check poisson_bootstrap(B = 5, N = 101) with count in 0..4;
bench poisson_bootstrap(B = 500, N = 100001) with count in 0..4;
