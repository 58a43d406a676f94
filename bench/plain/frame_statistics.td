// Of each frame of clips, channels before time: mean and deviation, and the frame with the largest deviation.
export fn frame_statistics(x: f16[B, C, T, H, W]) -> (mu: f32[B, T], dev: f32[B, T], at: i32[B]) {
    mu[b, t] = mean[c, i, j](x[b, c, t, i, j]);
    dev[b, t] = sqrt(mean[c, i, j]((x[b, c, t, i, j] - mu[b, t]) ** 2));
    at[b] = i32(argmax[t](dev[b, t]));
}
check frame_statistics(B = 2, C = 3, T = 5, H = 7, W = 9);
bench frame_statistics(B = 8, C = 3, T = 32, H = 182, W = 183);
