// The last four layers' states, mixed by a softmax of weights, and the mean over tokens.
import "nn";
export fn mixed_depth_average(x: f16[4, B, S, D], w: f32[4]) -> (y: f32[B, D]) {
    let a = softmax(w);
    y[b, d] = mean[l, s](4 * a[l] * x[l, b, s, d]);
}
check mixed_depth_average(B = 3, S = 7, D = 37);
bench mixed_depth_average(B = 32, S = 128, D = 1000);
