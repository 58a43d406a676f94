// The chi square of many tables of counts against independence, and Cramer's measure of it.
export fn chi_square_tables(n: i32[B, R, C]) -> (chi: f32[B], cramer: f32[B]) {
    assume 0 <= n[b, i, j] && n[b, i, j] < 1000;
    let row[b, i] = f32(sum[j](n[b, i, j]));
    let col[b, j] = f32(sum[i](n[b, i, j]));
    let all_[b] = f32(sum[i, j](n[b, i, j]));
    let want[b, i, j] = row[b, i] * col[b, j] / all_[b];
    chi[b] = sum[i, j where want[b, i, j] > 0]((f32(n[b, i, j]) - want[b, i, j]) ** 2 / want[b, i, j]);
    cramer[b] = sqrt(chi[b] / (all_[b] * max(min(R, C) - 1, 1)));
}
check chi_square_tables(B = 5, R = 7, C = 9);
bench chi_square_tables(B = 10007, R = 24, C = 31);
