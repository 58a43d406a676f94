// Two views of a batch: how far they are apart, columns that vary too little, and the gradient of the first.
export fn variance_hinge(a: f32[N, D], b: f32[N, D]) -> (near: f32[], spread: f32[], da: f32[N, D]) {
    let ma[j] = mean[i](a[i, j]);
    let sa[j] = sqrt(mean[i]((a[i, j] - ma[j]) ** 2) + 1e-4);
    near[] = mean[i, j]((a[i, j] - b[i, j]) ** 2);
    spread[] = mean[j](max(1 - sa[j], 0));
    da[i, j] = 2 * (a[i, j] - b[i, j]) / f32(N*D) - (if sa[j] < 1 then (a[i, j] - ma[j]) / (f32(N*D) * sa[j]) else 0);
}
check variance_hinge(N = 13, D = 37);
bench variance_hinge(N = 2048, D = 4096);
