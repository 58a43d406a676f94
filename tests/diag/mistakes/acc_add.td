export fn f(x: f32[N]) -> (y: f32[]) { let acc = 0.0; acc += x[i]; y[] = acc; }
