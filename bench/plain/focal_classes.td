// The focal loss of few classes with a weight for each, 0 where a row has no label, and how many rows are right.
import "nn";
export fn focal_classes(x: f32[M, C], t: i32[M], alpha: f32[C]) -> (loss: f32[M], right: i32[]) {
    assume -1 <= t[i] && t[i] < C;
    let q = log_softmax(x);
    loss[i] = if t[i] >= 0 then -alpha[t[i]] * (1 - exp(q[i, t[i]])) ** 2 * q[i, t[i]] else 0;
    let best[i] = argmax[c](x[i, c]);
    right[] = sum[i](i32(best[i] == t[i]));
}
check focal_classes(M = 61, C = 21) with alpha in 0.0..1.0;
bench focal_classes(M = 1000003, C = 21) with alpha in 0.0..1.0;
