// The convolution of a Conformer without its products: gate, 31 taps along time for each channel, activation.
import "nn";
import "conv";
export fn conformer_conv(x: bf16[N, L, 2*C], w: bf16[31, C], b: bf16[C]) -> (y: bf16[N, L, C]) {
    let g: bf16[n, l, c in C] = x[n, l, c] * sigmoid(x[n, l, C + c]);
    y = depthwise_conv1d_nlc(g, w, b, padding = 15, act = silu);
}
check conformer_conv(N = 2, L = 37, C = 5);
bench conformer_conv(N = 16, L = 1500, C = 512);
