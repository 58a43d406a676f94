// Bytes of images to normalised planes.
import "yolo";
export fn image_planes(x: u8[N, H, W, 3], m: f32[3], d: f32[3]) -> (y: f16[N, 3, H, W]) {
    y[n, c, i, j] = (f32(x[n, i, j, c]) / 255 - m[c]) / d[c];
}
check image_planes(N = 2, H = 7, W = 9) with d in 0.2..0.3;
bench image_planes(N = 64, H = 512, W = 512) with d in 0.2..0.3;
