// The generalised IoU loss of boxes that have a target, over their number, and their smooth L1 loss by coordinate.
import "nn";
import "yolo";
export fn giou_assigned(box: f32[B, A, 4], t: f32[B, A, 4], pos: bool[B, A]) -> (loss: f32[], l1: f32[4], n: i32[B]) {
    let g = bbox_giou(box, t);
    n[b] = sum[a](pos[b, a]);
    let all_ = f32(max(sum[b, a](pos[b, a]), 1));
    loss[] = sum[b, a where pos[b, a]](1 - g[b, a]) / all_;
    l1[k] = sum[b, a where pos[b, a]](smooth_l1_loss_none(box[b, a, k], t[b, a, k], beta = 0.1)) / all_;
}
check giou_assigned(B = 3, A = 101) with box in 0.1..1.0, t in 0.1..1.0;
bench giou_assigned(B = 64, A = 8400) with box in 0.1..1.0, t in 0.1..1.0;
