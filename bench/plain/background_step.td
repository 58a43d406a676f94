// A running background of a camera in place, and what moves in front of it.
export fn background_step(inout mu: f32[H, W, 3], inout va: f32[H, W], x: u8[H, W, 3], rate: f32) -> (moves: bool[H, W], n: i32[]) {
    let d[i, j] = sum[c]((f32(x[i, j, c]) - mu[i, j, c]) ** 2);
    moves[i, j] = d[i, j] > 9 * va[i, j] + 75;
    mu[i, j, c] = if moves[i, j] then mu[i, j, c] else mu[i, j, c] + rate * (f32(x[i, j, c]) - mu[i, j, c]);
    va[i, j] = if moves[i, j] then va[i, j] else va[i, j] + rate * (d[i, j] - va[i, j]);
    n[] = sum[i, j where moves[i, j]](1);
}
check background_step(H = 13, W = 17, rate = 0.05) with x in 0..256, mu in 0.0..255.0, va in 1.0..4000.0;
bench background_step(H = 1080, W = 1920, rate = 0.05) with x in 0..256, mu in 0.0..255.0, va in 1.0..4000.0;
