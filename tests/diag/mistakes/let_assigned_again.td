export fn norm(x: f32[N]) -> (y: f32[N]) {
    let t[i] = x[i] * x[i];
    t[i] = sqrt(t[i]);
    y[i] = t[i];
}
