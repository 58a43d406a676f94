export fn f(x: f32[N]) -> (y: f32[]) { let s = 0.0; let s = s + x[0]; y[] = s; }
