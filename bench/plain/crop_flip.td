// Training images from bytes: a crop and perhaps a flip for each, normalised planes.
export fn crop_flip(x: u8[N, H, W, 3], top: i32[N], left: i32[N], flip: bool[N], m: f32[3], d: f32[3])
        -> (y: f16[N, 3, P, Q]) {
    assume 0 <= top[n] && top[n] <= H - P;
    assume 0 <= left[n] && left[n] <= W - Q;
    y[n, c, i, j] = (f32(x[n, top[n] + i, left[n] + (if flip[n] then Q - 1 - j else j), c]) / 255 - m[c]) / d[c];
}
check crop_flip(N = 3, H = 9, W = 11, P = 5, Q = 7) with x in 0..256, d in 0.2..0.3;
bench crop_flip(N = 128, H = 256, W = 256, P = 224, Q = 224) with x in 0..256, d in 0.2..0.3;
