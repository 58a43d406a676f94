/// The CIoU loss of predicted boxes against targets (Zheng et al. 2019, arXiv:1911.08287), and its gradient with respect to
/// the predictions. A box is its centre, width and height.
import "yolo";

export fn loss_and_grad(box: f32[N, 4], target: f32[N, 4]) -> (loss: f32[], grad: f32[N, 4]) {
    loss = bbox_loss(box, target);
    grad = bbox_ciou_loss_grad(box, target);
}

check loss_and_grad(N = 1) with box in 0.1..1.0, target in 0.1..1.0;
check loss_and_grad(N = 1021) with box in 0.1..1.0, target in 0.1..1.0;
bench loss_and_grad(N = 100000) with box in 0.1..1.0, target in 0.1..1.0;
