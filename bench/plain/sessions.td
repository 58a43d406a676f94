// Window functions over clicks sorted by user: the time since the user's last click, and the session's number.
export fn sessions(user: i32[N], at: i32[N]) -> (gap: i32[N], fresh: bool[N], session: i32[N]) {
    assume user[n] <= user[n + 1];
    gap[n] = if n > 0 && user[max(n - 1, 0)] == user[n] then at[n] - at[max(n - 1, 0)] else -1;
    fresh[n] = gap[n] < 0 || gap[n] > 1800;
    session[n] = sum[k where k <= n](fresh[k]) - 1;
}
check sessions(N = 303) with user in 0..20, at in 0..100000;
bench sessions(N = 7000001) with user in 0..200000, at in 0..100000;
