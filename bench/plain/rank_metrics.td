// How many items score above the wanted one, the mean reciprocal rank, and hits among the first ten; seen items are left out.
export fn rank_metrics(s: f16[U, I], want: i32[U], seen: bool[U, I]) -> (rank: i32[U], mrr: f32[], hits: f32[]) {
    assume 0 <= want[u] && want[u] < I;
    let t[u] = s[u, want[u]];
    rank[u] = sum[i where !seen[u, i] && i != want[u]](s[u, i] >= t[u]);
    mrr[] = mean[u](1 / f32(1 + rank[u]));
    hits[] = mean[u](if rank[u] < 10 then 1.0 else 0.0);
}
check rank_metrics(U = 11, I = 131);
bench rank_metrics(U = 2048, I = 20011);
