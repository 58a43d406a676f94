// The gradient of a gated activation, of both halves of its input side by side.
import "nn";
export fn swiglu_bwd(dy: bf16[M, N], x: bf16[M, 2*N]) -> (dx: bf16[M, 2*N]) {
    dx[i, j in N] = silu_grad(dy[i, j] * x[i, N + j], x[i, j]);
    dx[i, N + j in N] = dy[i, j] * silu(x[i, j]);
}
check swiglu_bwd(M = 5, N = 37);
bench swiglu_bwd(M = 8192, N = 5504);
