// The focal loss of a detector, over all of its classes and places.
import "nn";
export fn focal_mean(x: f16[M, N], t: f16[M, N]) -> (y: f32[]) { y = sigmoid_focal_loss(x, t); }
check focal_mean(M = 31, N = 37) with t in 0.0..1.0;
bench focal_mean(M = 65536, N = 500) with t in 0.0..1.0;
