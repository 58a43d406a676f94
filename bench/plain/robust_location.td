// One round of Huber's estimate by columns: weights from the distance to the old centre, and marks of what lies far off.
export fn robust_location(x: f32[N, C], centre: f32[C], scale: f32[C]) -> (next: f32[C], far: bool[N, C], share: f32[]) {
    let z[n, c] = abs(x[n, c] - centre[c]) / scale[c];
    let w[n, c] = if z[n, c] <= 1.345 then 1 else 1.345 / z[n, c];
    next[c] = sum[n](w[n, c] * x[n, c]) / sum[n](w[n, c]);
    far[n, c] = z[n, c] > 3;
    share[] = f32(sum[n, c](far[n, c])) / (N * C);
}
check robust_location(N = 101, C = 13) with scale in 0.5..1.5;
bench robust_location(N = 200003, C = 100) with scale in 0.5..1.5;
