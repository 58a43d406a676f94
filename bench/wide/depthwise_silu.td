// A depthwise convolution with bias and activation, channels last.
import "nn";
import "conv";
export fn depthwise_silu(x: bf16[N, H, W, C], w: bf16[3, 3, C], b: bf16[C]) -> (y: bf16[N, H, W, C]) {
    y = depthwise_conv2d_nhwc(x, w, b, padding = 1, act = silu);
}
check depthwise_silu(N = 2, H = 5, W = 7, C = 12);
bench depthwise_silu(N = 16, H = 112, W = 112, C = 96);
