// Value at risk and the mean of the tail, from the twenty largest losses of each portfolio.
export fn tail_of_paths(loss: f32[P, S]) -> (var5: f32[P], tail: f32[P], where_worst: i32[P]) {
    require S >= 20, "twenty scenarios at least";
    let (v[p, r], at[p, r]) = topk[s](loss[p, s], 20);
    var5[p] = v[p, 19];
    tail[p] = mean[r](v[p, r]);
    where_worst[p] = i32(at[p, 0]);
}
check tail_of_paths(P = 5, S = 137);
bench tail_of_paths(P = 20000, S = 1000);
