// A layer norm and an activation of few rows.
import "nn";
import "norm";
export fn norm_gelu_small(x: bf16[M, N], g: f32[N], b: f32[N]) -> (y: bf16[M, N]) { y = layer_norm(x, g, b, act = gelu); }
check norm_gelu_small(M = 5, N = 37);
bench norm_gelu_small(M = 512, N = 1024);
