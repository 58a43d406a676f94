// Adaptive clipping: each row of a gradient is held to a share of the norm of its row of the weight.
export fn unit_clip(w: bf16[O, I, 3, 3], inout g: bf16[O, I, 3, 3]) -> (n: i32[]) {
    let nw[o] = max(sqrt(sum[i, r, q](w[o, i, r, q] ** 2)), 1e-3);
    let ng[o] = sqrt(sum[i, r, q](g[o, i, r, q] ** 2));
    let c[o] = if ng[o] > 0.02 * nw[o] then 0.02 * nw[o] / ng[o] else 1;
    g[o, i, r, q] = c[o] * g[o, i, r, q];
    n[] = sum[o](c[o] < 1);
}
check unit_clip(O = 11, I = 5) with g ~ 0.02;
bench unit_clip(O = 2048, I = 1024) with g ~ 0.02;
