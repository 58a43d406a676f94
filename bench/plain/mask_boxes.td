// The box, the area and the centre of each mask.
export fn mask_boxes(m: bool[N, H, W]) -> (box: i32[N, 4], area: i32[N], centre: f32[N, 2]) {
    box[n, 0] = min[i, j where m[n, i, j]](i32(j));
    box[n, 1] = min[i, j where m[n, i, j]](i32(i));
    box[n, 2] = max[i, j where m[n, i, j]](i32(j));
    box[n, 3] = max[i, j where m[n, i, j]](i32(i));
    area[n] = sum[i, j](m[n, i, j]);
    centre[n, 0] = mean[i, j where m[n, i, j]](f32(j));
    centre[n, 1] = mean[i, j where m[n, i, j]](f32(i));
}
check mask_boxes(N = 5, H = 11, W = 13);
bench mask_boxes(N = 100, H = 800, W = 1333);
