// Five quantiles of each row, by straight lines between the two nearest ranks.
fn percent(k) = if k == 0 then 5 else if k == 1 then 25 else if k == 2 then 50 else if k == 3 then 75 else 95;
export fn row_quantiles(x: f32[M, N]) -> (q: f32[M, 5]) {
    require N >= 1;
    let (v[i, r], _) = sort[j](x[i, j]);
    let at[k in 5] = (N - 1) * percent(k) / 100;
    let rest[k in 5] = f32((N - 1) * percent(k) % 100) / 100;
    q[i, k] = v[i, at[k]] + rest[k] * (v[i, min(at[k] + 1, N - 1)] - v[i, at[k]]);
}
check row_quantiles(M = 5, N = 37);
bench row_quantiles(M = 8192, N = 1000);
