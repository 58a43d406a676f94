export fn f(x: f32[N]) -> (y: f32[]) { y[] = sum[i](x[i]) / len(x); }
