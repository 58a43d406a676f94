// Squeeze and excite, channels last: the mean of each channel, two small layers, and a gate.
import "nn";
export fn squeeze_excite(x: bf16[N, H, W, C], w1: bf16[R, C], b1: bf16[R], w2: bf16[C, R], b2: bf16[C])
        -> (y: bf16[N, H, W, C]) {
    let s[n, c] = mean[i, j](x[n, i, j, c]);
    let h[n, r] = silu(sum[c](s[n, c] * w1[r, c]) + b1[r]);
    let g[n, c] = sigmoid(sum[r](h[n, r] * w2[c, r]) + b2[c]);
    y[n, i, j, c] = x[n, i, j, c] * g[n, c];
}
check squeeze_excite(N = 2, H = 5, W = 7, C = 12, R = 3);
bench squeeze_excite(N = 64, H = 28, W = 28, C = 240, R = 10);
