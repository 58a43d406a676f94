// The mean of the tokens that are not padding, and its unit vector.
import "norm";
export fn masked_pool(x: bf16[B, S, D], mask: bool[B, S]) -> (y: f32[B, D]) {
    let n[b] = f32(max(sum[s where mask[b, s]](1), 1));
    let m[b, d] = sum[s where mask[b, s]](x[b, s, d]) / n[b];
    y = normalize(m);
}
check masked_pool(B = 3, S = 29, D = 31);
bench masked_pool(B = 64, S = 512, D = 1024);
