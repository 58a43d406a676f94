import "norm";
export fn f(x: f32[M, D], w: f32[D], b: f32[D]) -> (y: f32[M, D]) { y = layer_norm(x, w, b, 1e-5, 3, 4); }
