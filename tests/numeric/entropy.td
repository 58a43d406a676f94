// A load whose subscript is data, in range because the program says so.
/// Per row, the negative log probability of its label under a softmax; and the mean of it over the rows.
export fn entropy(score: f32[R, V], label: i32[R]) -> (each: f32[R], total: f32[]) {
    assume 0 <= label[r] && label[r] < V;
    let top[r] = max[v](score[r, v]);
    let mass[r] = sum[v](exp(score[r, v] - top[r]));
    let nll[r] = log(mass[r]) + top[r] - score[r, label[r]];
    each[r] = nll[r];
    total[] = mean[r](nll[r]);
}
check entropy(R = 1, V = 1);
check entropy(R = 43, V = 77);
check entropy(R = 5, V = 2053) with score ~ 6.0;
check entropy(R = 0, V = 3);

/// The same with labels smoothed by a tenth and negative labels left out, over bf16 scores.
export fn smoothed(score: bf16[R, V], label: i64[R]) -> (loss: f32[]) {
    assume -2 <= label[r] && label[r] < V;
    let top[r] = max[v](score[r, v]);
    let lse[r] = top[r] + log(sum[v](exp(score[r, v] - top[r])));
    loss[] = sum[r where label[r] >= 0](lse[r] - 0.9 * score[r, label[r]] - 0.1 * mean[v](score[r, v]));
}
// sizes: not smoothed(V = 1)
check smoothed(R = 1, V = 1);
check smoothed(R = 29, V = 5);
check smoothed(R = 7, V = 1031);
check smoothed(R = 0, V = 4);
