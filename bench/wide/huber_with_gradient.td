// A loss over a whole tensor, and its gradient.
import "nn";
export fn huber_with_gradient(x: f32[N], t: f32[N]) -> (loss: f32[], dx: f32[N]) {
    loss[] = mean[i](huber_loss_none(x[i], t[i]));
    dx[i] = clamp(x[i] - t[i], -1, 1) / N;
}
check huber_with_gradient(N = 1021);
bench huber_with_gradient(N = 16777259);
