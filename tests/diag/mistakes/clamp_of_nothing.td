export fn g(x: f32[H], e: f32[N]) -> (y: f32[N]) { y[n] = x[clamp(i32(floor(e[n])), 0, H - 1)]; }
