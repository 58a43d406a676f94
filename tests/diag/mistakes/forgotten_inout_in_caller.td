fn sgd(inout p: f32[N], g: f32[N]) -> (n: f32[]) { p[i] += -0.1 * g[i]; n[] = sum[i](g[i]); }
export fn step(w: f32[N], g: f32[N]) -> (n: f32[]) { n = sgd(w, g); }
