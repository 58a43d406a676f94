// The threads of several warps meet once for folds of the same elements.
export fn folds_meet(x: f32[64, 4096]) -> (lo: f32[64], hi: f32[64]) {
    lo[i] = min[j](x[i, j]);
    hi[i] = max[j](x[i, j]);
}
