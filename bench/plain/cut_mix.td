// Images with a rectangle of another image each, and the share of labels that is left.
export fn cut_mix(x: u8[B, H, W, 3], other: i32[B], box: i32[B, 4]) -> (y: u8[B, H, W, 3], lam: f32[B]) {
    assume 0 <= other[b] && other[b] < B;
    let cut[b, i in H, j in W] = i >= box[b, 0] && i < box[b, 1] && j >= box[b, 2] && j < box[b, 3];
    y[b, i, j, c] = u8(if cut[b, i, j] then x[other[b], i, j, c] else x[b, i, j, c]);
    lam[b] = 1 - mean[i, j](if cut[b, i, j] then 1.0 else 0.0);
}
check cut_mix(B = 3, H = 9, W = 11) with box in 0..12;
bench cut_mix(B = 128, H = 224, W = 224) with box in 0..225;
