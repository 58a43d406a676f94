// How far the surprise of each token is from the entropy of its row, and the entropy.
import "nn";
export fn typical_scores(x: f16[B, V]) -> (y: f16[B, V], h: f32[B]) {
    let l = log_softmax(x);
    h[b] = -sum[v](exp(l[b, v]) * l[b, v]);
    y[b, v] = abs(-l[b, v] - h[b]);
}
check typical_scores(B = 3, V = 257);
bench typical_scores(B = 384, V = 65024);
