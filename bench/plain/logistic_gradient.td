// Logistic regression with eleven features: gradient, loss, and how many labels are met.
import "nn";
export fn logistic_gradient(x: bf16[N, 11], label: u8[N], w: f32[11], bias: f32[]) -> (g: f32[11], gb: f32[], loss: f32[], hits: i32[]) {
    assume label[n] <= 1;
    let s[n] = bias[] + sum[k](x[n, k] * w[k]);
    let d[n] = sigmoid(s[n]) - f32(label[n]);
    g[k] = mean[n](d[n] * x[n, k]);
    gb[] = mean[n](d[n]);
    loss[] = mean[n](softplus(s[n]) - f32(label[n]) * s[n]);
    hits[] = sum[n]((s[n] > 0) == (label[n] == 1));
}
check logistic_gradient(N = 501) with w ~ 0.3;
bench logistic_gradient(N = 4000001) with w ~ 0.3;
