// flags: --without=choose
// What both branches evaluate is evaluated once, before them: x[i, d] and its exponential; what only one does is loaded
// where its condition holds.
export fn branches_share(x: f32[4096, 128], c: f32[64]) -> (y: f32[4096, 128]) {
    let n[i, d] = exp(x[i, d]) + 1;
    y[i, d] = if d < 64 then n[i, d] * c[d] - x[i, d + 64] else n[i, d] / c[d - 64] + x[i, d - 64];
}
check branches_share();
