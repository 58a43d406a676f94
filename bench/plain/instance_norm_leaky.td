// Instance norm of a style network and its leaky activation, channels first.
import "norm";
import "nn";
export fn instance_norm_leaky(x: bf16[N, C, H, W], g: f32[C], b: f32[C]) -> (y: bf16[N, C, H, W]) {
    let z = instance_norm(x, g, b);
    y[n, c, i, j] = leaky_relu(z[n, c, i, j], negative_slope = 0.2);
}
check instance_norm_leaky(N = 2, C = 3, H = 7, W = 9);
bench instance_norm_leaky(N = 8, C = 64, H = 250, W = 250);
