export fn step(inout p: f32[N], g: f32[N]) -> () { p[i] += -0.1 * g[i]; }
