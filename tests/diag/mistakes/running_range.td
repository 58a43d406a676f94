// The range of a running reduction's end has no subscript to follow from.
export fn cumulative_max(x: f32[B, T]) -> (y: f32[B, T]) {
    let m[b, t] = max[k where k <= t](x[b, k]);
    y[b, t] = x[b, t] - m[b, t];
}
