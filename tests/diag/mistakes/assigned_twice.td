export fn norm(x: f32[N]) -> (y: f32[N]) {
    y[i] = x[i] * x[i];
    y[i] = sqrt(x[i]);
}
