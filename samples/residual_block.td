/// A residual block of convolutions with channels last: relu(x + norm(conv(relu(norm(conv(x)))))), 3 x 3 convolutions that
/// keep the size, group normalisation in G groups of channels.
import "conv";
import "nn";
import "norm";

export fn block(x: bf16[N, H, W, G*K], w1: bf16[G*K, 3, 3, G*K], gain1: f32[G*K], bias1: f32[G*K],
                w2: bf16[G*K, 3, 3, G*K], gain2: f32[G*K], bias2: f32[G*K], G: int) -> (y: bf16[N, H, W, G*K]) {
    let a = conv2d_nhwc(x, w1, padding = 1);
    let b = group_norm_last(a, gain1, bias1, act = relu, G = G);
    let m: bf16[n, p, q, c] = b[n, p, q, c];
    let d = conv2d_nhwc(m, w2, padding = 1);
    let e = group_norm_last(d, gain2, bias2, G = G);
    y[n, p, q, c] = relu(x[n, p, q, c] + e[n, p, q, c]);
}

check block(N = 1, H = 1, W = 1, G = 1, K = 1);
check block(N = 2, H = 5, W = 4, G = 2, K = 3) with w1 ~ 0.2, w2 ~ 0.2;
bench block(N = 16, H = 56, W = 56, G = 8, K = 16);
