// The best class of each pixel, which lies along a middle axis.
export fn class_of_pixels(x: f16[N, C, H, W]) -> (y: i64[N, H, W]) { y[n, i, j] = argmax[c](x[n, c, i, j]); }
check class_of_pixels(N = 2, C = 5, H = 7, W = 9);
bench class_of_pixels(N = 16, C = 21, H = 512, W = 512);
