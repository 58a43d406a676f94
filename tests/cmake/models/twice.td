import "factor";
export fn twice(x: f32[N]) -> (y: f32[N]) { y[i] = factor() * x[i]; }
