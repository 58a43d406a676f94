// A group norm of images, channels last, with scale and shift of the time step, and its activation.
import "nn";
import "norm";
export fn film_group_norm(x: bf16[N, H, W, 32*K], e: bf16[N, 64*K], w: f32[32*K], b: f32[32*K]) -> (y: bf16[N, H, W, 32*K]) {
    let z = group_norm_last(x, w, b, G = 32);
    y[n, i, j, c] = silu(z[n, i, j, c] * (1 + e[n, c]) + e[n, 32*K + c]);
}
check film_group_norm(N = 2, H = 3, W = 5, K = 3);
bench film_group_norm(N = 8, H = 64, W = 64, K = 10);
