/// A perceptron of two layers, gelu(x w1^T + b1) w2^T + b2, with weights stored by outputs as torch.nn.Linear has them.
/// The hidden layer rounds to bf16: that is what a kernel writes and the next one reads.
import "linalg";
import "nn";

export fn forward(x: bf16[M, K], w1: bf16[H, K], b1: f32[H], w2: bf16[N, H], b2: f32[N]) -> (y: bf16[M, N]) {
    let a = linear(x, w1, b1, act = gelu);
    let h: bf16[i, j] = a[i, j];
    let o = linear(h, w2, b2);
    y[i, n] = o[i, n];
}

check forward(M = 1, K = 1, H = 1, N = 1);
check forward(M = 5, K = 33, H = 65, N = 17) with w1 ~ 0.2, w2 ~ 0.1;
bench forward(M = 4096, K = 1024, H = 4096, N = 1024);
