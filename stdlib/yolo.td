// Boxes, their overlaps and losses, and what detectors of the YOLO family make of their outputs. A box is four elements
// of the last axis: centre and size (x, y, w, h), or corners (x1, y1, x2, y2). Results are in acc(T).

// ---- forms of boxes ----

/// (x, y, w, h) to corners: torchvision.ops.box_convert(b, "cxcywh", "xyxy").
fn xywh_to_xyxy<T>(b: T[B..., 4]) -> (y: acc(T)[B..., 4]) {
    y[p..., i] = b[p..., i%2] + (if i < 2 then -0.5 else 0.5)*b[p..., i%2 + 2];
}

/// Corners to (x, y, w, h): torchvision.ops.box_convert(b, "xyxy", "cxcywh").
fn xyxy_to_xywh<T>(b: T[B..., 4]) -> (y: acc(T)[B..., 4]) {
    y[p..., i] = if i < 2 then (b[p..., i%2] + b[p..., i%2 + 2])/2 else b[p..., i%2 + 2] - b[p..., i%2];
}

/// (x, y, w, h) in parts of an image to corners in its elements: xywhn2xyxy of YOLOv5, with an offset for padding.
fn xywhn_to_xyxy<T>(b: T[B..., 4], width: acc(T), height: acc(T), pad_x: acc(T) = 0, pad_y: acc(T) = 0)
        -> (y: acc(T)[B..., 4]) {
    y[p..., i] = (b[p..., i%2] + (if i < 2 then -0.5 else 0.5)*b[p..., i%2 + 2])*(if i%2 == 0 then width else height) +
                 (if i%2 == 0 then pad_x else pad_y);
}

/// Corners moved into an image: torchvision.ops.clip_boxes_to_image.
fn clip_boxes<T>(b: T[B..., 4], width: acc(T), height: acc(T)) -> (y: acc(T)[B..., 4]) {
    y[p..., i] = clamp(b[p..., i], 0, if i%2 == 0 then width else height);
}

/// (x2 - x1)(y2 - y1): torchvision.ops.box_area.
fn box_area<T>(b: T[B..., 4]) -> (y: acc(T)[B...]) {
    y[p...] = (b[p..., 2] - b[p..., 0])*(b[p..., 3] - b[p..., 1]);
}

// ---- how boxes overlap ----

// The overlap of box a with box b, both by corners. kind 0: intersection over union. 1: less the part of the enclosing
// box outside of the union (GIoU). 2: less the distance of the centres over the enclosing diagonal, squared (DIoU).
// 3: less the difference of the aspect ratios too (CIoU).
fn _overlap<kind: int>(ax1, ay1, ax2, ay2, bx1, by1, bx2, by2, eps, eps_ratio) {
    let aw = ax2 - ax1;
    let ah = ay2 - ay1;
    let bw = bx2 - bx1;
    let bh = by2 - by1;
    let inter = max(min(ax2, bx2) - max(ax1, bx1), 0)*max(min(ay2, by2) - max(ay1, by1), 0);
    let union = aw*ah + bw*bh - inter + eps;
    let iou = inter/union;
    let cw = max(ax2, bx2) - min(ax1, bx1);
    let ch = max(ay2, by2) - min(ay1, by1);
    let hull = cw*ch + eps;
    let dx = bx1 + bx2 - ax1 - ax2;
    let dy = by1 + by2 - ay1 - ay2;
    let distance = (dx*dx + dy*dy)/4/(cw*cw + ch*ch + eps);
    let v = 0.40528473456935109*(atan(bw/(bh + eps_ratio)) - atan(aw/(ah + eps_ratio)))**2;
    return iou - (if kind == 0 then 0 else if kind == 1 then (hull - union)/hull else
                  distance + (if kind == 2 then 0 else v*(v/(v - iou + 1 + eps))));
}

/// The overlap of each box of a with the one of b, bbox_iou of YOLOv5: boxes by centre and size unless xywh = false.
/// kind 0: intersection over union; 1: GIoU, Rezatofighi et al. 2019, arXiv:1902.09630; 2: DIoU, 3: CIoU, Zheng et al.
/// 2019, arXiv:1911.08287, whose ratios w/(h + eps) are those of OneFlow's fused kernels.
fn bbox_iou<T, kind: int = 0, xywh: bool = true>(a: T[B..., 4], b: T[B..., 4], eps: acc(T) = 1e-7)
        -> (y: acc(T)[B...]) {
    y[p...] = if xywh then _overlap(a[p..., 0] - a[p..., 2]/2, a[p..., 1] - a[p..., 3]/2,
                                    a[p..., 0] + a[p..., 2]/2, a[p..., 1] + a[p..., 3]/2,
                                    b[p..., 0] - b[p..., 2]/2, b[p..., 1] - b[p..., 3]/2,
                                    b[p..., 0] + b[p..., 2]/2, b[p..., 1] + b[p..., 3]/2, eps, eps, kind = kind)
              else _overlap(a[p..., 0], a[p..., 1], a[p..., 2], a[p..., 3],
                            b[p..., 0], b[p..., 1], b[p..., 2], b[p..., 3], eps, eps, kind = kind);
}

/// GIoU of boxes by centre and size: bbox_iou with kind = 1.
fn bbox_giou<T>(a: T[B..., 4], b: T[B..., 4], eps: acc(T) = 1e-7) -> (y: acc(T)[B...]) {
    y = bbox_iou(a, b, eps, kind = 1);
}

/// DIoU of boxes by centre and size: bbox_iou with kind = 2.
fn bbox_diou<T>(a: T[B..., 4], b: T[B..., 4], eps: acc(T) = 1e-7) -> (y: acc(T)[B...]) {
    y = bbox_iou(a, b, eps, kind = 2);
}

/// CIoU of boxes by centre and size: bbox_iou with kind = 3.
fn bbox_ciou<T>(a: T[B..., 4], b: T[B..., 4], eps: acc(T) = 1e-7) -> (y: acc(T)[B...]) {
    y = bbox_iou(a, b, eps, kind = 3);
}

/// The overlap of every box of a with every one of b, by corners. torchvision.ops: box_iou (kind = 0, eps = 0),
/// generalized_box_iou (1, 0), distance_box_iou (2, 1e-7), complete_box_iou (3, 1e-7).
fn box_iou<T, kind: int = 0>(a: T[M, 4], b: T[N, 4], eps: acc(T) = 0) -> (y: acc(T)[M, N]) {
    y[i, j] = _overlap(a[i, 0], a[i, 1], a[i, 2], a[i, 3], b[j, 0], b[j, 1], b[j, 2], b[j, 3], eps, 0, kind = kind);
}

/// The mean of 1 - bbox_iou of boxes by centre and size, CIoU unless kind says otherwise: the box loss of YOLOv5.
fn bbox_loss<T, kind: int = 3>(a: T[N, 4], b: T[N, 4], eps: acc(T) = 1e-7) -> (loss: acc(T)[]) {
    let s = bbox_iou(a, b, eps, kind = kind);
    loss[] = mean[n](1 - s[n]);
}

/// The gradient of bbox_loss with kind = 3 with respect to a, given that of the loss: the links below, backwards.
/// alpha counts as constant.
fn bbox_ciou_loss_grad<T>(a: T[N, 4], b: T[N, 4], d_loss: acc(T) = 1, eps: acc(T) = 1e-7) -> (da: acc(T)[N, 4]) {
    let x1[n] = a[n, 0];
    let y1[n] = a[n, 1];
    let w1[n] = a[n, 2];
    let h1[n] = a[n, 3];
    let x2[n] = b[n, 0];
    let y2[n] = b[n, 1];
    let w2[n] = b[n, 2];
    let h2[n] = b[n, 3];
    let (ax1, ax2, ay1, ay2, bx1, bx2, by1, by2) = get_bounding_boxes_coord(x1, y1, w1, h1, x2, y2, w2, h2);
    let inter = get_intersection_area(ax1, ax2, bx1, bx2, ay1, ay2, by1, by2);
    let iou = get_iou(w1, h1, w2, h2, inter, eps);
    let c2 = get_convex_diagonal_squared(ax1, ax2, bx1, bx2, ay1, ay2, by1, by2, eps);
    let rho2 = get_center_dist(ax1, ax2, bx1, bx2, ay1, ay2, by1, by2);
    let v = get_ciou_diagonal_angle(w1, h1, w2, h2, eps);
    let (_, alpha) = get_ciou_result(v, iou, rho2, c2, eps);
    let dy[n in N] = -d_loss/acc(T)(N);
    let (dv, diou, drho2, dc2) = get_ciou_result_grad(dy, alpha, rho2, c2);
    let (dw_v, dh_v, _, _) = get_ciou_diagonal_angle_grad(w1, h1, w2, h2, dv, eps);
    let (dw_i, dh_i, dinter) = get_iou_grad(diou, w1, h1, w2, h2, inter, eps);
    let (px1, px2, _, _, py1, py2, _, _) = get_center_dist_grad(ax1, ax2, bx1, bx2, ay1, ay2, by1, by2, drho2);
    let (qx1, qx2, _, _, qy1, qy2, _, _) =
        get_convex_diagonal_squared_grad(ax1, ax2, bx1, bx2, ay1, ay2, by1, by2, dc2);
    let (rx1, rx2, _, _, ry1, ry2, _, _) = get_intersection_area_grad(ax1, ax2, bx1, bx2, ay1, ay2, by1, by2, dinter);
    da[n, 0] = px1[n] + px2[n] + qx1[n] + qx2[n] + rx1[n] + rx2[n];
    da[n, 1] = py1[n] + py2[n] + qy1[n] + qy2[n] + ry1[n] + ry2[n];
    da[n, 2] = (px2[n] + qx2[n] + rx2[n] - px1[n] - qx1[n] - rx1[n])/2 + dw_v[n] + dw_i[n];
    da[n, 3] = (py2[n] + qy2[n] + ry2[n] - py1[n] - qy1[n] - ry1[n])/2 + dh_v[n] + dh_i[n];
}

// ---- the links of the chain from boxes to CIoU, each with its gradient, as OneFlow's fused_get_... ----

/// Corners of two boxes each: b1_x1, b1_x2, b1_y1, b1_y2, then those of b2; x1 = x - w/2, x2 = x + w/2.
fn get_bounding_boxes_coord<T>(x1: T[B...], y1: T[B...], w1: T[B...], h1: T[B...],
                               x2: T[B...], y2: T[B...], w2: T[B...], h2: T[B...])
        -> (b1_x1: acc(T)[B...], b1_x2: acc(T)[B...], b1_y1: acc(T)[B...], b1_y2: acc(T)[B...],
            b2_x1: acc(T)[B...], b2_x2: acc(T)[B...], b2_y1: acc(T)[B...], b2_y2: acc(T)[B...]) {
    b1_x1[p...] = x1[p...] - w1[p...]/2;
    b1_x2[p...] = x1[p...] + w1[p...]/2;
    b1_y1[p...] = y1[p...] - h1[p...]/2;
    b1_y2[p...] = y1[p...] + h1[p...]/2;
    b2_x1[p...] = x2[p...] - w2[p...]/2;
    b2_x2[p...] = x2[p...] + w2[p...]/2;
    b2_y1[p...] = y2[p...] - h2[p...]/2;
    b2_y2[p...] = y2[p...] + h2[p...]/2;
}

/// The gradient of get_bounding_boxes_coord: dx = d_x1 + d_x2, dw = (d_x2 - d_x1)/2, the same for y and h.
fn get_bounding_boxes_coord_grad<T>(d1_x1: T[B...], d1_x2: T[B...], d1_y1: T[B...], d1_y2: T[B...],
                                    d2_x1: T[B...], d2_x2: T[B...], d2_y1: T[B...], d2_y2: T[B...])
        -> (dx1: acc(T)[B...], dy1: acc(T)[B...], dw1: acc(T)[B...], dh1: acc(T)[B...],
            dx2: acc(T)[B...], dy2: acc(T)[B...], dw2: acc(T)[B...], dh2: acc(T)[B...]) {
    dx1[p...] = d1_x1[p...] + d1_x2[p...];
    dy1[p...] = d1_y1[p...] + d1_y2[p...];
    dw1[p...] = (d1_x2[p...] - d1_x1[p...])/2;
    dh1[p...] = (d1_y2[p...] - d1_y1[p...])/2;
    dx2[p...] = d2_x1[p...] + d2_x2[p...];
    dy2[p...] = d2_y1[p...] + d2_y2[p...];
    dw2[p...] = (d2_x2[p...] - d2_x1[p...])/2;
    dh2[p...] = (d2_y2[p...] - d2_y1[p...])/2;
}

/// The area of the intersection: max(0, min(x2) - max(x1)) max(0, min(y2) - max(y1)).
fn get_intersection_area<T>(b1_x1: T[B...], b1_x2: T[B...], b2_x1: T[B...], b2_x2: T[B...],
                            b1_y1: T[B...], b1_y2: T[B...], b2_y1: T[B...], b2_y2: T[B...]) -> (inter: acc(T)[B...]) {
    inter[p...] = max(min(b1_x2[p...], b2_x2[p...]) - max(b1_x1[p...], b2_x1[p...]), 0)*
                  max(min(b1_y2[p...], b2_y2[p...]) - max(b1_y1[p...], b2_y1[p...]), 0);
}

/// The gradient of get_intersection_area: nothing where there is no intersection; on ties all of it to both sides.
fn get_intersection_area_grad<T>(b1_x1: T[B...], b1_x2: T[B...], b2_x1: T[B...], b2_x2: T[B...],
                                 b1_y1: T[B...], b1_y2: T[B...], b2_y1: T[B...], b2_y2: T[B...], d: T[B...])
        -> (d1_x1: acc(T)[B...], d1_x2: acc(T)[B...], d2_x1: acc(T)[B...], d2_x2: acc(T)[B...],
            d1_y1: acc(T)[B...], d1_y2: acc(T)[B...], d2_y1: acc(T)[B...], d2_y2: acc(T)[B...]) {
    let w[p...] = min(b1_x2[p...], b2_x2[p...]) - max(b1_x1[p...], b2_x1[p...]);
    let h[p...] = min(b1_y2[p...], b2_y2[p...]) - max(b1_y1[p...], b2_y1[p...]);
    let dw[p...] = if w[p...] > 0 && h[p...] > 0 then d[p...]*h[p...] else 0;
    let dh[p...] = if w[p...] > 0 && h[p...] > 0 then d[p...]*w[p...] else 0;
    d1_x1[p...] = if b1_x1[p...] >= b2_x1[p...] then -dw[p...] else 0;
    d1_x2[p...] = if b1_x2[p...] <= b2_x2[p...] then dw[p...] else 0;
    d2_x1[p...] = if b1_x1[p...] <= b2_x1[p...] then -dw[p...] else 0;
    d2_x2[p...] = if b1_x2[p...] >= b2_x2[p...] then dw[p...] else 0;
    d1_y1[p...] = if b1_y1[p...] >= b2_y1[p...] then -dh[p...] else 0;
    d1_y2[p...] = if b1_y2[p...] <= b2_y2[p...] then dh[p...] else 0;
    d2_y1[p...] = if b1_y1[p...] <= b2_y1[p...] then -dh[p...] else 0;
    d2_y2[p...] = if b1_y2[p...] >= b2_y2[p...] then dh[p...] else 0;
}

/// inter/(w1 h1 + w2 h2 - inter + eps).
fn get_iou<T>(w1: T[B...], h1: T[B...], w2: T[B...], h2: T[B...], inter: T[B...], eps: acc(T) = 1e-7)
        -> (iou: acc(T)[B...]) {
    iou[p...] = inter[p...]/(w1[p...]*h1[p...] + w2[p...]*h2[p...] - inter[p...] + eps);
}

/// The gradient of get_iou with respect to w1, h1 and inter (box 2 is the target).
fn get_iou_grad<T>(d: T[B...], w1: T[B...], h1: T[B...], w2: T[B...], h2: T[B...], inter: T[B...], eps: acc(T) = 1e-7)
        -> (dw1: acc(T)[B...], dh1: acc(T)[B...], dinter: acc(T)[B...]) {
    let u[p...] = w1[p...]*h1[p...] + w2[p...]*h2[p...] + eps;
    let s[p...] = d[p...]/(u[p...] - inter[p...])**2;
    dw1[p...] = -h1[p...]*inter[p...]*s[p...];
    dh1[p...] = -w1[p...]*inter[p...]*s[p...];
    dinter[p...] = u[p...]*s[p...];
}

/// The squared diagonal of the enclosing box: (max(x2) - min(x1))^2 + (max(y2) - min(y1))^2 + eps.
fn get_convex_diagonal_squared<T>(b1_x1: T[B...], b1_x2: T[B...], b2_x1: T[B...], b2_x2: T[B...],
                                  b1_y1: T[B...], b1_y2: T[B...], b2_y1: T[B...], b2_y2: T[B...], eps: acc(T) = 1e-7)
        -> (c2: acc(T)[B...]) {
    c2[p...] = (max(b1_x2[p...], b2_x2[p...]) - min(b1_x1[p...], b2_x1[p...]))**2 +
               (max(b1_y2[p...], b2_y2[p...]) - min(b1_y1[p...], b2_y1[p...]))**2 + eps;
}

/// The gradient of get_convex_diagonal_squared; on ties to box 2.
fn get_convex_diagonal_squared_grad<T>(b1_x1: T[B...], b1_x2: T[B...], b2_x1: T[B...], b2_x2: T[B...],
                                       b1_y1: T[B...], b1_y2: T[B...], b2_y1: T[B...], b2_y2: T[B...], d: T[B...])
        -> (d1_x1: acc(T)[B...], d1_x2: acc(T)[B...], d2_x1: acc(T)[B...], d2_x2: acc(T)[B...],
            d1_y1: acc(T)[B...], d1_y2: acc(T)[B...], d2_y1: acc(T)[B...], d2_y2: acc(T)[B...]) {
    let w[p...] = 2*d[p...]*(max(b1_x2[p...], b2_x2[p...]) - min(b1_x1[p...], b2_x1[p...]));
    let h[p...] = 2*d[p...]*(max(b1_y2[p...], b2_y2[p...]) - min(b1_y1[p...], b2_y1[p...]));
    d1_x1[p...] = if b1_x1[p...] < b2_x1[p...] then -w[p...] else 0;
    d1_x2[p...] = if b1_x2[p...] > b2_x2[p...] then w[p...] else 0;
    d2_x1[p...] = if b1_x1[p...] < b2_x1[p...] then 0 else -w[p...];
    d2_x2[p...] = if b1_x2[p...] > b2_x2[p...] then 0 else w[p...];
    d1_y1[p...] = if b1_y1[p...] < b2_y1[p...] then -h[p...] else 0;
    d1_y2[p...] = if b1_y2[p...] > b2_y2[p...] then h[p...] else 0;
    d2_y1[p...] = if b1_y1[p...] < b2_y1[p...] then 0 else -h[p...];
    d2_y2[p...] = if b1_y2[p...] > b2_y2[p...] then 0 else h[p...];
}

/// The squared distance of the centres: ((b2_x1 + b2_x2 - b1_x1 - b1_x2)^2 + (the same of y)^2)/4.
fn get_center_dist<T>(b1_x1: T[B...], b1_x2: T[B...], b2_x1: T[B...], b2_x2: T[B...],
                      b1_y1: T[B...], b1_y2: T[B...], b2_y1: T[B...], b2_y2: T[B...]) -> (rho2: acc(T)[B...]) {
    rho2[p...] = ((b2_x1[p...] + b2_x2[p...] - b1_x1[p...] - b1_x2[p...])**2 +
                  (b2_y1[p...] + b2_y2[p...] - b1_y1[p...] - b1_y2[p...])**2)/4;
}

/// The gradient of get_center_dist.
fn get_center_dist_grad<T>(b1_x1: T[B...], b1_x2: T[B...], b2_x1: T[B...], b2_x2: T[B...],
                           b1_y1: T[B...], b1_y2: T[B...], b2_y1: T[B...], b2_y2: T[B...], d: T[B...])
        -> (d1_x1: acc(T)[B...], d1_x2: acc(T)[B...], d2_x1: acc(T)[B...], d2_x2: acc(T)[B...],
            d1_y1: acc(T)[B...], d1_y2: acc(T)[B...], d2_y1: acc(T)[B...], d2_y2: acc(T)[B...]) {
    let x[p...] = d[p...]*(b1_x1[p...] + b1_x2[p...] - b2_x1[p...] - b2_x2[p...])/2;
    let y[p...] = d[p...]*(b1_y1[p...] + b1_y2[p...] - b2_y1[p...] - b2_y2[p...])/2;
    d1_x1[p...] = x[p...];
    d1_x2[p...] = x[p...];
    d2_x1[p...] = -x[p...];
    d2_x2[p...] = -x[p...];
    d1_y1[p...] = y[p...];
    d1_y2[p...] = y[p...];
    d2_y1[p...] = -y[p...];
    d2_y2[p...] = -y[p...];
}

/// v = 4/pi^2 (atan(w2/(h2 + eps)) - atan(w1/(h1 + eps)))^2.
fn get_ciou_diagonal_angle<T>(w1: T[B...], h1: T[B...], w2: T[B...], h2: T[B...], eps: acc(T) = 1e-8)
        -> (v: acc(T)[B...]) {
    v[p...] = 0.40528473456935109*(atan(w2[p...]/(h2[p...] + eps)) - atan(w1[p...]/(h1[p...] + eps)))**2;
}

/// The gradient of get_ciou_diagonal_angle with respect to w1, h1, w2, h2.
fn get_ciou_diagonal_angle_grad<T>(w1: T[B...], h1: T[B...], w2: T[B...], h2: T[B...], d: T[B...], eps: acc(T) = 1e-8)
        -> (dw1: acc(T)[B...], dh1: acc(T)[B...], dw2: acc(T)[B...], dh2: acc(T)[B...]) {
    let r1[p...] = w1[p...]/(h1[p...] + eps);
    let r2[p...] = w2[p...]/(h2[p...] + eps);
    let s[p...] = 0.81056946913870218*d[p...]*(atan(r2[p...]) - atan(r1[p...]));
    let a1[p...] = s[p...]/((h1[p...] + eps)*(1 + r1[p...]*r1[p...]));
    let a2[p...] = s[p...]/((h2[p...] + eps)*(1 + r2[p...]*r2[p...]));
    dw1[p...] = -a1[p...];
    dh1[p...] = a1[p...]*r1[p...];
    dw2[p...] = a2[p...];
    dh2[p...] = -a2[p...]*r2[p...];
}

/// alpha = v/(v - iou + 1 + eps), y = iou - (rho2/c2 + v alpha).
fn get_ciou_result<T>(v: T[B...], iou: T[B...], rho2: T[B...], c2: T[B...], eps: acc(T) = 1e-7)
        -> (y: acc(T)[B...], alpha: acc(T)[B...]) {
    let a[p...] = v[p...]/(v[p...] - iou[p...] + 1 + eps);
    y[p...] = iou[p...] - (rho2[p...]/c2[p...] + v[p...]*a[p...]);
    alpha[p...] = a[p...];
}

/// The gradient of get_ciou_result with respect to v, iou, rho2 and c2, alpha held.
fn get_ciou_result_grad<T>(d: T[B...], alpha: T[B...], rho2: T[B...], c2: T[B...])
        -> (dv: acc(T)[B...], diou: acc(T)[B...], drho2: acc(T)[B...], dc2: acc(T)[B...]) {
    dv[p...] = -alpha[p...]*d[p...];
    diou[p...] = d[p...];
    drho2[p...] = -d[p...]/c2[p...];
    dc2[p...] = d[p...]*rho2[p...]/(c2[p...]*c2[p...]);
}

// ---- from a detector's outputs to boxes ----

/// YOLOv5's decoding of one level: of s = sigmoid(x), the centre (2 s - 0.5 + cell)*stride, the size (2 s)^2*anchor,
/// then objectness and classes. x: T[B, A, H, W, 5 + C], anchors in elements of the image, (w, h).
fn yolov5_decode<T, U>(x: T[B, A, H, W, 5 + C], anchors: U[A, 2], stride: acc(T)) -> (y: acc(T)[B, A*H*W, 5 + C]) {
    let s[b, a, i, j, k] = sigmoid(x[b, a, i, j, k]);
    let z[b, a, i in H, j in W, k in 5 + C] =
        if k < 2 then (2*s[b, a, i, j, k] - 0.5 + acc(T)(if k == 0 then j else i))*stride
        else if k < 4 then (2*s[b, a, i, j, k])**2*anchors[a, k - 2]
        else s[b, a, i, j, k];
    y[b, n, k] = z[b, n/(H*W), n/W%H, n%W, k];
}

/// YOLOv3's decoding of one level: centre (sigmoid(x) + cell)*stride, size exp(x)*anchor, sigmoids of the others.
fn yolov3_decode<T, U>(x: T[B, A, H, W, 5 + C], anchors: U[A, 2], stride: acc(T)) -> (y: acc(T)[B, A, H, W, 5 + C]) {
    y[b, a, i, j, k] = if k < 2 then (sigmoid(x[b, a, i, j, k]) + acc(T)(if k == 0 then j else i))*stride
                       else if k < 4 then exp(x[b, a, i, j, k])*anchors[a, k - 2]
                       else sigmoid(x[b, a, i, j, k]);
}

/// YOLOX's decoding of one level, without anchors: centre (x + cell)*stride, size exp(x)*stride, sigmoids of the rest.
/// x: T[B, 5 + C, H, W].
fn yolox_decode<T>(x: T[B, 5 + C, H, W], stride: acc(T)) -> (y: acc(T)[B, H*W, 5 + C]) {
    let z[b, k in 5 + C, i in H, j in W] =
        if k < 2 then (x[b, k, i, j] + acc(T)(if k == 0 then j else i))*stride
        else if k < 4 then exp(x[b, k, i, j])*stride
        else sigmoid(x[b, k, i, j]);
    y[b, n, k] = z[b, k, n/W, n%W];
}

/// The centres of the cells of one level, (j + offset, i + offset), row by row: make_anchors of YOLOv8.
/// T, H and W by name.
fn make_anchors<T>(offset: acc(T) = 0.5) -> (y: T[H*W, 2]) {
    let z[i in H, j in W, k in 2] = acc(T)(if k == 0 then j else i) + offset;
    y[n, k] = z[n/W, n%W, k];
}

/// The expected distances of a distribution over R of them a side: sum over r of r softmax(x)[r]. Generalised focal
/// loss, Li et al. 2020, arXiv:2006.04388; the DFL module of YOLOv8. x: T[B, 4*R, A].
fn dfl<T>(x: T[B, 4*R, A]) -> (y: acc(T)[B, 4, A]) {
    let m[b, s in 4, a] = max[r in 0..R](x[b, s*R + r, a]);
    let e[b, s in 4, r in R, a] = exp(x[b, s*R + r, a] - m[b, s, a]);
    y[b, s, a] = sum[r](acc(T)(r)*e[b, s, r, a])/sum[r](e[b, s, r, a]);
}

/// The loss of dfl's distributions: of target t between the bins l = floor t and l + 1, (l + 1 - t) CE(x, l) +
/// (t - l) CE(x, l + 1), a side. x: T[N, R], t: T[N], held to 0..R - 1 - 0.01 as in YOLOv8.
fn dfl_loss<T>(x: T[N, R], t: T[N]) -> (loss: acc(T)[N]) {
    require R >= 2, "at least two bins";
    let c[n] = clamp(t[n], 0, acc(T)(R) - 1.01);
    let l[n] = clamp(i64(c[n]), 0, R - 2);
    let m[n] = max[r](x[n, r]);
    let z[n] = m[n] + log(sum[r](exp(x[n, r] - m[n])));
    loss[n] = (z[n] - x[n, l[n]])*(acc(T)(l[n]) + 1 - c[n]) + (z[n] - x[n, l[n] + 1])*(c[n] - acc(T)(l[n]));
}

/// Distances (left, top, right, bottom) from a point to a box, as centre and size unless xywh = false: dist2bbox of
/// YOLOv8. d: T[B..., N, 4], points: T[N, 2].
fn dist_to_bbox<T, xywh: bool = true>(d: T[B..., N, 4], points: T[N, 2]) -> (y: acc(T)[B..., N, 4]) {
    y[b..., n, i] = if xywh then if i < 2 then points[n, i%2] + (d[b..., n, i%2 + 2] - d[b..., n, i%2])/2
                                 else d[b..., n, i%2] + d[b..., n, i%2 + 2]
                    else points[n, i%2] + (if i < 2 then -d[b..., n, i] else d[b..., n, i]);
}

/// Corners to distances from a point, held to 0..most - 0.01: bbox2dist of YOLOv8.
fn bbox_to_dist<T>(b: T[N, 4], points: T[N, 2], most: acc(T)) -> (y: acc(T)[N, 4]) {
    y[n, i] = clamp(if i < 2 then points[n, i%2] - b[n, i] else b[n, i] - points[n, i%2], 0, most - 0.01);
}

/// Whether a box of this size may belong to an anchor: the larger of the ratios of their sides, either way, is below
/// limit. YOLOv5's build_targets. sizes: T[N, 2], anchors: T[A, 2].
fn anchor_match<T>(sizes: T[N, 2], anchors: T[A, 2], limit: acc(T) = 4) -> (y: bool[A, N]) {
    y[a, n] = max[k](max(sizes[n, k]/anchors[a, k], anchors[a, k]/sizes[n, k])) < limit;
}

/// Which boxes stay: those that overlap no earlier box by more than limit. Boxes by corners, the best first. Fast NMS
/// of YOLACT, Bolya et al. 2019, arXiv:1904.02689: a box that was itself dropped drops others all the same.
fn fast_nms<T>(b: T[N, 4], limit: acc(T) = 0.5) -> (keep: bool[N]) {
    let s = box_iou(b, b);
    keep[i] = !any[j where j < i](s[j, i] > limit);
}

/// Masks of boxes from coefficients and prototypes, sigmoid(sum over k of c[n, k] p[k, h, w]) inside the box (corners
/// in elements of the prototypes) and 0 outside: process_mask of YOLOv5 before its upsampling.
fn process_mask<T>(c: T[N, K], p: T[K, H, W], b: T[N, 4]) -> (y: acc(T)[N, H, W]) {
    y[n, h, w] = if acc(T)(w) >= b[n, 0] && acc(T)(w) < b[n, 2] && acc(T)(h) >= b[n, 1] && acc(T)(h) < b[n, 3]
                 then sigmoid(sum[k](c[n, k]*p[k, h, w])) else 0;
}

/// Bytes of an image with channels last as floats with channels first, less mean, over deviation: (x/255 - m)/s.
/// T by name.
fn normalize_image<T>(x: u8[N, H, W, C], mean: acc(T)[C], deviation: acc(T)[C]) -> (y: T[N, C, H, W]) {
    y[n, c, h, w] = (acc(T)(x[n, h, w, c])/255 - mean[c])/deviation[c];
}

// ---- losses of elements ----

// -(t log p + (1 - t) log(1 - p)) with p = sigmoid(x), of any x.
fn _bce(x, t) = max(x, 0) - x*t + log1p(exp(-abs(x)));

/// Binary cross entropy of logits times alpha_t (1 - p_t)^gamma, YOLOv5's FocalLoss; p_t = t p + (1 - t)(1 - p).
/// Lin et al. 2017, arXiv:1708.02002.
fn focal_loss(x, t, gamma = 1.5, alpha = 0.25) {
    let p = sigmoid(x);
    return _bce(x, t)*(t*alpha + (1 - t)*(1 - alpha))*(1 - (t*p + (1 - t)*(1 - p)))**gamma;
}

/// Binary cross entropy of logits times alpha_t |t - p|^gamma: YOLOv5's QFocalLoss, quality focal loss.
fn quality_focal_loss(x, t, gamma = 1.5, alpha = 0.25) =
    _bce(x, t)*(t*alpha + (1 - t)*(1 - alpha))*abs(t - sigmoid(x))**gamma;

/// Binary cross entropy of logits, weighted by t where t > 0 and by alpha p^gamma elsewhere: varifocal loss,
/// Zhang et al. 2020, arXiv:2008.13367.
fn varifocal_loss(x, t, gamma = 2.0, alpha = 0.75) = _bce(x, t)*(if t > 0 then t else alpha*sigmoid(x)**gamma);

/// A target of 0 or 1 drawn towards 0.5 by half of eps: smooth_BCE of YOLOv5.
fn smooth_bce(t, eps = 0.1) = t*(1 - eps) + 0.5*eps;
