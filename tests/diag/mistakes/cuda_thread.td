export fn scale(x: f32[N]) -> (y: f32[N]) { y[threadIdx.x] = 2.0 * x[threadIdx.x]; }
