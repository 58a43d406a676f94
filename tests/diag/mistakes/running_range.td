// The range of a running reduction's end has no subscript to follow from, neither here nor where it is read.
export fn cumulative_max(x: f32[B, T]) -> (y: f32[B]) {
    let m[b, t] = max[k where k <= t](x[b, k]);
    y[b] = sum[t](m[b, t]);
}
