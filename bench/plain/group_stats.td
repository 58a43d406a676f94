// A group-by: how many rows each group has, their mean, least and largest value.
export fn group_stats(key: i32[N], x: f32[N]) -> (n: i32[G], mu: f32[G], lo: f32[G], hi: f32[G]) {
    assume 0 <= key[i] && key[i] < G;
    n[g] = sum[i where key[i] == g](1);
    mu[g] = sum[i where key[i] == g](x[i]) / f32(max(n[g], 1));
    lo[g] = min[i where key[i] == g](x[i]);
    hi[g] = max[i where key[i] == g](x[i]);
}
check group_stats(N = 303, G = 17);
bench group_stats(N = 6000000, G = 5000);
