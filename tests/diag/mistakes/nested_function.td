export fn f(x: f32[N]) -> (y: f32[N]) {
    fn half(v) = 0.5 * v;
    y[i] = half(x[i]);
}
