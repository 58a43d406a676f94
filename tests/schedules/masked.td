// Guards of reductions: what they exclude is not loaded. A loss over all rows in a second kernel.
export fn masked(x: f32[M, N], mask: bool[M, N], len: i32[M]) -> (y: f32[M], l: f32[]) {
    let z[i] = sum[k where k < len[i]](exp(x[i, k]));
    y[i] = sum[k where mask[i, k]](x[i, k]);
    l[] = sum[i](log(1 + z[i]) * y[i]);
}
check masked(M = 17, N = 53) with len in 0..60;
check masked(M = 1, N = 1) with len in 0..2;
check masked(M = 3, N = 0) with len in 0..1;
check masked(M = 0, N = 3) with len in 0..1;
check masked(M = 8, N = 128) with len in 0..128;
