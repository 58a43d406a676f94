import "optim";
export fn adamw_step(inout params: f32[N], inout m: f32[N], inout v: f32[N], grads: f32[N], step: i64) {
    adamw(params, m, v, grads, step);
}
check adamw_step(N = 37, step = 1) with v in 0.0..1.0;
bench adamw_step(N = 124475904, step = 1) with v in 0.0..1.0;
