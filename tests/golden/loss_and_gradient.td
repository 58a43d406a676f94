// A sum of all elements, of which few blocks would do everything, is folded in shares beside a map of the same elements; where it is
// folded anyway, it is not folded again.
export fn loss_and_gradient(x: f32[16777216], t: f32[16777216]) -> (loss: f32[], dx: f32[16777216]) {
    loss[] = sum[i]((x[i] - t[i]) ** 2);
    dx[i] = 2 * (x[i] - t[i]);
}
export fn scaled(x: f32[16777216]) -> (y: f32[16777216], norm: f32[]) {
    let r = sqrt(sum[i](x[i] * x[i]));
    norm[] = r;
    y[i] = x[i] / r;
}
