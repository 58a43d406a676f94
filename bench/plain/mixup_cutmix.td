// Each image mixed with another of the batch inside a box of its own, labels by the box's area.
export fn mixup_cutmix(x: f16[N, C, H, W], t: f32[N, K], with_: i32[N], box: i32[N, 4]) -> (y: f16[N, C, H, W], u: f32[N, K]) {
    assume 0 <= with_[n] && with_[n] < N;
    let inside[n, i in H, j in W] = i >= box[n, 0] && i < box[n, 2] && j >= box[n, 1] && j < box[n, 3];
    let part[n] = mean[i, j](f32(inside[n, i, j]));
    y[n, c, i, j] = if inside[n, i, j] then x[with_[n], c, i, j] else x[n, c, i, j];
    u[n, k] = t[n, k] + part[n] * (t[with_[n], k] - t[n, k]);
}
check mixup_cutmix(N = 3, C = 3, H = 9, W = 11, K = 5) with box in 0..10;
bench mixup_cutmix(N = 128, C = 3, H = 224, W = 224, K = 1000) with box in 0..200;
