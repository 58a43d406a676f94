// The median of three neighbours along the rows of a depth map, whose zeros are holes and stay.
export fn median3_rows(x: i16[N, H, W]) -> (y: i16[N, H, W]) {
    let l[n, i, j in W] = x[n, i, max(j - 1, 0)];
    let r[n, i, j in W] = x[n, i, min(j + 1, W - 1)];
    let m[n, i, j] = max(min(l[n, i, j], r[n, i, j]), min(max(l[n, i, j], r[n, i, j]), x[n, i, j]));
    y[n, i, j] = i16(if x[n, i, j] == 0 then 0 else m[n, i, j]);
}
check median3_rows(N = 2, H = 7, W = 23);
bench median3_rows(N = 32, H = 480, W = 641);
