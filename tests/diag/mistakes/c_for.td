export fn f(x: f32[N]) -> (y: f32[N]) {
    for (int i = 0; i < N; i++) y[i] = 2.0 * x[i];
}
