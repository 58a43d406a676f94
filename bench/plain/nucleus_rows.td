// Of probabilities in descending order those that make up a share, normalised, back where their tokens stand.
export fn nucleus_rows(p: f32[B, V], ids: i32[B, V], share: f32[B]) -> (y: f32[B, V]) {
    assume 0 <= ids[b, r] && ids[b, r] < V;
    let before[b, r in V] = sum[k where k < r](p[b, k]);
    let q[b, r] = if before[b, r] < share[b] then p[b, r] else 0;
    let s[b] = sum[r](q[b, r]);
    y[b, v] = 0;
    y[b, ids[b, r]] = q[b, r] / s[b];
}
check nucleus_rows(B = 3, V = 131) with p in 0.0..0.015, share in 0.5..0.95;
bench nucleus_rows(B = 128, V = 50257) with p in 0.0..0.00004, share in 0.5..0.95;
