export fn resize(x: f32[C, H, W]) -> (y: f32[C, P, Q]) {
    let fy[p in P] = (f32(p) + 0.5) * H / P - 0.5;
    let y0[p in P] = i32(floor(max(fy[p], 0)));
    y[c, p, q] = x[c, y0[p], 0];
}
