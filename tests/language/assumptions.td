// Chapter 3 of docs/language.md: assumptions about neighbours.

// clause 3.9, 8.6: an assumption says nothing where one of its loads would be out of range
export fn neighbours(off: i32[B + 1], t: i32[M], x: i32[N]) -> (ok: bool[B], rows: i32[B], ahead: i32[M]) {
    assume 0 <= off[b] && off[b] <= N;
    assume off[b] <= off[b + 1];
    assume 0 <= t[m] && t[m + 1] < N;
    rows[b] = sum[n in off[b]..off[b + 1]](x[n]);
    ahead[m] = if m + 1 < M then x[t[m + 1]] else 0;
    ok[b] = off[b] <= off[b + 1] && rows[b] == sum[n where n >= off[b] && n < off[b + 1]](x[n]);
}
check neighbours(B = 9, M = 12, N = 40);
check neighbours(B = 0, M = 1, N = 1);
