// The end of a super-resolution block: bias, pixel shuffle, and a leaky activation with a slope for each channel.
import "index";
import "nn";
export fn sub_pixel_prelu(x: f16[N, 4*C, H, W], b: f16[4*C], a: f16[C]) -> (y: f16[N, C, 2*H, 2*W]) {
    let t[n, k, i, j] = x[n, k, i, j] + b[k];
    let z = pixel_shuffle(t, r = 2);
    y[n, c, i, j] = prelu(z[n, c, i, j], a[c]);
}
check sub_pixel_prelu(N = 2, C = 3, H = 5, W = 7);
bench sub_pixel_prelu(N = 16, C = 32, H = 128, W = 128);
