// The soft Dice loss of a segmentation, over all images, and the coefficient of each class.
import "nn";
export fn soft_dice(x: f16[N, C, H, W], t: u8[N, H, W]) -> (loss: f32[], dice: f32[C]) {
    let p = softmax_channels(x);
    let both[c in C] = sum[n, i, j where i64(t[n, i, j]) == c](p[n, c, i, j]);
    let size[c] = sum[n, i, j](p[n, c, i, j]);
    let count[c in C] = sum[n, i, j where i64(t[n, i, j]) == c](1.0);
    dice[c] = (2 * both[c] + 1) / (size[c] + count[c] + 1);
    loss[] = 1 - mean[c](dice[c]);
}
check soft_dice(N = 2, C = 5, H = 7, W = 9) with t in 0..C;
bench soft_dice(N = 8, C = 19, H = 512, W = 512) with t in 0..C;
