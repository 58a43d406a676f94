// One step of Lion for a small parameter.
import "optim";
export fn lion_small(inout p: f32[N], inout m: f32[N], g: f32[N]) { lion(p, m, g, lr = 1e-4, weight_decay = 0.1); }
check lion_small(N = 1021);
bench lion_small(N = 400009);
