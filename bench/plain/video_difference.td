// How much each frame of a clip differs from the one before: the mean, and the largest, over pixels and channels.
export fn video_difference(x: u8[B, T, H, W, 3]) -> (d: f32[B, T - 1], most: i32[B, T - 1]) {
    require T >= 1;
    let e[b, t in T - 1, i, j, c] = abs(i32(x[b, t + 1, i, j, c]) - i32(x[b, t, i, j, c]));
    d[b, t] = mean[i, j, c](f32(e[b, t, i, j, c]));
    most[b, t] = max[i, j, c](e[b, t, i, j, c]);
}
check video_difference(B = 2, T = 4, H = 5, W = 7) with x in 0..256;
bench video_difference(B = 2, T = 17, H = 720, W = 1280) with x in 0..256;
