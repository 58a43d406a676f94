export fn f(in: f32[N]) -> (out: f32[N]) { out[i] = 2.0 * in[i]; }
