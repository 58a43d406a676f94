// The contrastive loss of images and texts from their similarities, by rows and by columns, and its gradient.
import "nn";
export fn clip_pairs(s: bf16[N, N], scale: f32) -> (loss: f32[], ds: bf16[N, N]) {
    let r[i] = lse[j](scale * s[i, j]);
    let c[j] = lse[i](scale * s[i, j]);
    loss[] = 0.5 * mean[i](r[i] + c[i] - 2 * scale * s[i, i]);
    ds[i, j] = (exp(scale * s[i, j] - r[i]) + exp(scale * s[i, j] - c[j]) - (if i == j then 2 else 0)) * scale / (2 * f32(N));
}
check clip_pairs(N = 37, scale = 5.0) with s in -1.0..1.0;
bench clip_pairs(N = 4099, scale = 14.0) with s in -1.0..1.0;
