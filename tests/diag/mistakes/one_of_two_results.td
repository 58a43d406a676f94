// A reduction of two results where one is needed.
reduce moments[k](e) { let m = mean[k](e); return m, mean[k]((e - m) ** 2); }
export fn centre(x: f32[M, N]) -> (y: f32[M, N]) {
    let m[i] = moments[j](x[i, j]);
    y[i, j] = x[i, j] - m[i];
}
