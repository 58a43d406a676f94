// Scores of retention: what lies ahead is left out, the others decay with the distance, rows are divided by their sums.
export fn retention_rows(s: f16[B, H, L, L], decay: f32[H]) -> (y: f16[B, H, L, L]) {
    let d[b, h, i, j] = if j <= i then s[b, h, i, j] * decay[h] ** (i - j) else 0;
    let z[b, h, i] = max(abs(sum[j](d[b, h, i, j])), 1);
    y[b, h, i, j] = d[b, h, i, j] / z[b, h, i];
}
check retention_rows(B = 2, H = 3, L = 37) with decay in 0.9..1.0;
bench retention_rows(B = 4, H = 8, L = 1000) with decay in 0.9..1.0;
