// Layers that read one another twice, by row and by element: each product is computed once, under its let's name.
fn layer(x: f32[T, D], w: f32[D, D], v: f32[D, D]) -> (y: f32[T, D]) {
    let mu[t] = mean[d](x[t, d]);
    let va[t] = mean[d]((x[t, d] - mu[t]) ** 2);
    let h[t, e] = relu(sum[d]((x[t, d] - mu[t]) * rsqrt(va[t] + 1e-5) * w[e, d]));
    y[t, d] = x[t, d] + sum[e](h[t, e] * v[d, e]);
}
export fn three(x: f32[T, D], w1: f32[D, D], v1: f32[D, D], w2: f32[D, D], v2: f32[D, D], w3: f32[D, D], v3: f32[D, D])
    -> (y: f32[T, D]) {
    let a = layer(x, w1, v1);
    let b = layer(a, w2, v2);
    y = layer(b, w3, v3);
}
