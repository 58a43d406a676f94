// The short causal convolution of a state-space model.
import "nn";
import "conv";
export fn causal_conv_silu(x: f16[N, C, L], w: f16[C, 4], b: f16[C]) -> (y: f16[N, C, L]) {
    y = causal_conv1d(x, w, b, act = silu);
}
check causal_conv_silu(N = 2, C = 5, L = 37);
bench causal_conv_silu(N = 8, C = 2048, L = 2048);
