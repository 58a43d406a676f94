// Losses of rows that become their gradient in place. The element at a row's target is found by the thread that
// changes it, as a fold of the row that has this one element.
export fn in_place_gathered(inout x: f32[M, 1000], at: i32[M]) -> (loss: f32[M]) {
    assume 0 <= at[i] && at[i] < 1000;
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp(x[i, j] - m[i]));
    loss[i] = log(s[i]) + m[i] - x[i, at[i]];
    x[i, j] = exp(x[i, j] - m[i]) / s[i] - (if j == at[i] then 1.0 else 0.0);
}
check in_place_gathered(M = 5);
