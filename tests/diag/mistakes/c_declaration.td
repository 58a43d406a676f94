export fn scale(x: f32[N]) -> (y: f32[N]) {
    float a = 2.0;
    y[i] = a * x[i];
}
