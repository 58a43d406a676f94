fn g(x: f32[N]) -> (y: f32[N]) { y[i] = exp(x[i]); }
export fn f(x: f32[N], dy: f32[N]) -> (dx: f32[N]) { dx = vjp(g)(x, dy); }
