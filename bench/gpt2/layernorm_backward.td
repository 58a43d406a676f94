// All three gradients are added to what is there, as where a residual branch came before.
import "norm";
export fn layernorm_backward(inout dinp: f32[B, T, C], inout dweight: f32[C], inout dbias: f32[C], dout: f32[B, T, C],
                             inp: f32[B, T, C], weight: f32[C], mean: f32[B, T], rstd: f32[B, T]) {
    let dx = layer_norm_grad(dout, inp, mean, rstd, weight);
    let (dw, db) = layer_norm_param_grad(dout, inp, mean, rstd);
    dinp[b, t, c] += dx[b, t, c];
    dweight[c] += dw[c];
    dbias[c] += db[c];
}
check layernorm_backward(B = 2, T = 3, C = 36) with rstd in 0.5..2.0;
bench layernorm_backward(B = 4, T = 1024, C = 768) with rstd in 0.5..2.0;
