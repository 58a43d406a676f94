// Cross-entropy of pixels with weights of classes, and its gradient; the classes are a middle axis, 255 does not count.
import "nn";
export fn weighted_pixels(x: f16[N, 19, H, W], t: u8[N, H, W], w: f32[19]) -> (loss: f32[], dx: f16[N, 19, H, W]) {
    let l[n, i, j] = lse[c](x[n, c, i, j]);
    let a[n, i, j] = if t[n, i, j] < 19 then w[i32(t[n, i, j])] else 0;
    let total = max(sum[n, i, j](a[n, i, j]), 1e-6);
    loss[] = sum[n, i, j](if t[n, i, j] < 19 then a[n, i, j] * (l[n, i, j] - x[n, i32(t[n, i, j]), i, j]) else 0) / total;
    dx[n, c, i, j] = a[n, i, j] * (exp(x[n, c, i, j] - l[n, i, j]) - (if c == t[n, i, j] then 1 else 0)) / total;
}
check weighted_pixels(N = 2, H = 7, W = 5) with t in 0..24, w in 0.5..2.0;
bench weighted_pixels(N = 4, H = 512, W = 769) with t in 0..24, w in 0.5..2.0;
