// Shapes of every form, for the manifest.
dim B in 1..=64;
dim N hint 1024 divisible 8;

/// Sums of groups.
/// "Quoted", with a \ and a tab	in between.
export fn groups(x: f32[N, 8 * K], y: f16[B * N + 1]) -> (s: f32[N, K], total: f64[]) {
    require K >= 1, "no \"empty\" groups";
    s[n, k] = sum[j in 0..8](x[n, 8 * k + j]) + f32(y[B * n]);
    total[] = sum[n, k](f64(x[n, k]));
}
/// Rows that no shape determines.
export fn table(rows: int, scale: f32 = 0.5, up: bool = true) -> (t: f32[rows / 2 + 1], u: f32[(rows + 3) / 4]) {
    t[i] = if up then scale * f32(i) else -scale;
    u[i] = 1.0;
}
export fn windows(x: f32[L]) -> (y: f32[max(L - 4, 0) / 2 + 1]) { require L >= 5; y[i] = x[2 * i]; }
export fn inf_default(x: f32[M], most: f32 = inf) -> (y: f32[M]) { y[i] = min(x[i], most); }
