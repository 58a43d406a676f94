// The continuous ranked probability score of sixteen members against an observation; gaps in the observations are NaN.
export fn crps_members(x: f32[N, 16], obs: f32[N]) -> (score: f32[N], total: f32[], used: i32[]) {
    let off[n] = mean[k](abs(x[n, k] - obs[n]));
    let pairs[n] = sum[k, l](abs(x[n, k] - x[n, l])) / 512;
    score[n] = if isnan(obs[n]) then 0 else off[n] - pairs[n];
    total[] = sum[n](score[n]);
    used[] = sum[n](!isnan(obs[n]));
}
check crps_members(N = 101);
bench crps_members(N = 1000003);
