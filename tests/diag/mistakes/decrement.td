export fn step(inout p: f32[N], g: f32[N]) -> (n: f32[]) { p[i] -= 0.1 * g[i]; n[] = sum[i](g[i]); }
