export fn nearest(x: f32[H], at: f32[P]) -> (y: f32[P]) {
    require H > 0;
    y[p] = x[clamp(i32(at[p]), 0, i32(H) - 1)];
}
