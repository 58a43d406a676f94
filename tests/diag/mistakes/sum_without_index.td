export fn total(x: f32[M, N]) -> (y: f32[]) { y[] = sum(x); }
