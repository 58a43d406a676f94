// Functions of stdlib/yolo.td as kernels: long chains of elements, in the box loss and its gradient fused to one each.
import "yolo";

export loss = bbox_loss(T = f32);
export loss_grad = bbox_ciou_loss_grad(T = f32);
export pairs = box_iou(T = f32, kind = 1);
export decoded = yolov5_decode(T = f16, U = f32);
export sides = dfl(T = f16);
export stay = fast_nms(T = f32);

check loss(N = 517) with a in 1.0..3.0, b in 1.0..3.0;
check loss_grad(N = 517) with a in 1.0..3.0, b in 1.0..3.0;
check pairs(M = 9, N = 13) with a in 0.0..5.0, b in 0.0..5.0;
check decoded(B = 2, A = 3, H = 4, W = 5, C = 2, stride = 8);
check sides(B = 2, R = 16, A = 21);
check stay(N = 40) with b in 0.0..5.0;
