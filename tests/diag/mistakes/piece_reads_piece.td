export fn solve(l: f32[N, 2, 2], b: f32[N, 2]) -> (x: f32[N, 2]) {
    x[n, 0] = b[n, 0] / l[n, 0, 0];
    x[n, 1] = (b[n, 1] - l[n, 1, 0] * x[n, 0]) / l[n, 1, 1];
}
