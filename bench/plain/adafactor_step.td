// One step of Adafactor for a matrix: its second moments are kept by rows and by columns.
export fn adafactor_step(inout p: f32[M, N], inout vr: f32[M], inout vc: f32[N], g: bf16[M, N]) {
    vr[i] = 0.999 * vr[i] + 0.001 * mean[j](g[i, j] ** 2 + 1e-30);
    vc[j] = 0.999 * vc[j] + 0.001 * mean[i](g[i, j] ** 2 + 1e-30);
    let m = mean[i](new(vr)[i]);
    let u[i, j] = g[i, j] * rsqrt(new(vr)[i] / m) * rsqrt(new(vc)[j]);
    let rms = sqrt(mean[i, j](u[i, j] ** 2));
    p[i, j] = p[i, j] - 0.01 * u[i, j] / max(1, rms);
}
check adafactor_step(M = 13, N = 37) with vr in 0.1..1.0, vc in 0.1..1.0;
bench adafactor_step(M = 4096, N = 3000) with vr in 0.1..1.0, vc in 0.1..1.0;
