require M % K == 0;
export fn f(x: f32[M]) -> (y: f32[M]) {
    y[i] = x[i];
}
export fn g(x: f32[K]) -> (y: f32[K]) {
    y[i] = 2.0 * x[i];
}
