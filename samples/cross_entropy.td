/// The mean cross-entropy of logits over V classes, and its gradient with respect to them. Rows whose target is -100 do not
/// count.
import "nn";

export fn loss_and_grad(logits: bf16[N, V], target: i32[N]) -> (loss: f32[], grad: bf16[N, V]) {
    loss = cross_entropy(logits, target);
    let one[] = 1.0;
    let g = cross_entropy_grad(one, logits, target);
    grad[n, v] = g[n, v];
}

check loss_and_grad(N = 1, V = 1) with target in 0..V;
check loss_and_grad(N = 37, V = 517) with target in 0..V;
bench loss_and_grad(N = 8192, V = 50304) with target in 0..V;
