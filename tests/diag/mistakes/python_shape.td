export fn mean(x: f32[N]) -> (y: f32[]) { y[] = sum[i](x[i]) / x.shape[0]; }
