// The discounted gain of lists in the order of their scores, over that of the best order.
export fn ndcg_lists(score: f32[Q, L], gain: f32[Q, L]) -> (y: f32[Q], best: i64[Q]) {
    let at[q, r] = argsort[i](-score[q, i]);
    let (v[q, r], _) = sort[i](-gain[q, i]);
    let d[q] = sum[r](gain[q, at[q, r]] / log2(f32(r + 2)));
    let most[q] = sum[r](-v[q, r] / log2(f32(r + 2)));
    y[q] = if most[q] > 0 then d[q] / most[q] else 0;
    best[q] = argmax[k](score[q, k]);
}
check ndcg_lists(Q = 5, L = 37) with gain in 0.0..4.0;
bench ndcg_lists(Q = 20000, L = 200) with gain in 0.0..4.0;
