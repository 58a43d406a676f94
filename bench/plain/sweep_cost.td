// What it costs to buy a quantity through the levels of a book, and what remains unfilled.
export fn sweep_cost(px: f32[T, L], size: f32[T, L], want: f32[T]) -> (cost: f32[T], left: f32[T]) {
    let before[t, l in L] = sum[k where k < l](size[t, k]);
    let fill[t, l in L] = clamp(want[t] - before[t, l], 0, size[t, l]);
    cost[t] = sum[l](fill[t, l] * px[t, l]);
    left[t] = want[t] - sum[l](fill[t, l]);
}
check sweep_cost(T = 37, L = 11) with px in 99.0..101.0, size in 0.0..5.0, want in 0.0..40.0;
bench sweep_cost(T = 400001, L = 25) with px in 99.0..101.0, size in 0.0..5.0, want in 0.0..80.0;
