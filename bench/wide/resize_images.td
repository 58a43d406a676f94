// Images of three channels to an odd size.
import "index";
export fn resize_images(x: f32[N, 3, H, W]) -> (y: f32[N, 3, P, Q]) { y = resize_bilinear2d(x, P = P, Q = Q); }
check resize_images(N = 2, H = 8, W = 9, P = 5, Q = 13);
bench resize_images(N = 32, H = 512, W = 512, P = 300, Q = 777);
