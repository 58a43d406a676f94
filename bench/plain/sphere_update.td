// Hidden states on a sphere: a step toward what the layer says, with a rate for each channel.
import "norm";
export fn sphere_update(h: bf16[M, D], a: bf16[M, D], rate: f32[D]) -> (y: bf16[M, D]) {
    let n = normalize(a);
    let z[i, d] = h[i, d] + abs(rate[d]) * (n[i, d] - h[i, d]);
    y = normalize(z);
}
check sphere_update(M = 5, D = 37);
bench sphere_update(M = 16384, D = 1024);
