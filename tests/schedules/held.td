// Conditions that differ between elements which a thread may hold, around loads that are the same for these.
export fn held(x: f16[20, 50], off: i32[21], at: i32[50], table: f32[V], m: u8[43, 20], w: f32[43, 50]) -> (y: f32[43, 20]) {
    assume 0 <= off[n] && off[n] <= 50;
    y[i, j] = if m[i, j] % 2 == 0 then
        sum[t in off[j]..off[j + 1] where 0 <= at[t] && at[t] < V](table[at[t]] * w[i, t] + abs(x[j, t])) else -1.0;
}
check held(V = 7) with at in -3..10;
