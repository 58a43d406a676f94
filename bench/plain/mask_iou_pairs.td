// Overlap of predicted and true masks of the same objects, its mean, and the binary cross-entropy of each.
import "nn";
export fn mask_iou_pairs(x: f16[N, H, W], t: bool[N, H, W]) -> (iou: f32[N], bce: f32[N], mean_iou: f32[]) {
    let both[n] = sum[i, j where x[n, i, j] > 0](t[n, i, j]);
    let either[n] = sum[i, j](x[n, i, j] > 0 || t[n, i, j]);
    iou[n] = f32(both[n]) / f32(max(either[n], 1));
    bce[n] = mean[i, j](binary_cross_entropy_with_logits_none(x[n, i, j], f32(t[n, i, j])));
    mean_iou[] = mean[n](iou[n]);
}
check mask_iou_pairs(N = 5, H = 11, W = 13);
bench mask_iou_pairs(N = 400, H = 256, W = 255);
