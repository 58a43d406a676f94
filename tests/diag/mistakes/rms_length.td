import "norm";
export fn f(x: f32[M, D], w: f32[K]) -> (y: f32[M, D]) { y = rms_norm(x, w); }
