// The pooling in front of a residual network.
import "conv";
export fn max_pool3s2(x: f16[N, C, H, W]) -> (y: f16[N, C, (H - 1)/2 + 1, (W - 1)/2 + 1]) {
    y = max_pool2d(x, kernel = 3, stride = 2, stride_w = 2, padding = 1);
}
check max_pool3s2(N = 2, C = 3, H = 11, W = 12);
bench max_pool3s2(N = 32, C = 64, H = 112, W = 112);
