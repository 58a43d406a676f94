export fn f(g: f32[N]) -> (inout p: f32[N]) { p[i] += g[i]; }
