// Cosines with a margin of angle at the class of each face, scaled, and their cross-entropy.
import "nn";
export fn angular_margin(c: f16[M, N], t: i64[M], scale: f32) -> (z: f16[M, N], loss: f32[]) {
    assume 0 <= t[i] && t[i] < N;
    let u[i, j] = scale * (if j == t[i] then cos(acos(clamp(c[i, j], -0.9999, 0.9999)) + 0.5) else c[i, j]);
    z[i, j] = u[i, j];
    loss[] = mean[i](lse[j](u[i, j]) - u[i, t[i]]);
}
check angular_margin(M = 5, N = 131, scale = 16.0) with c in -1.0..1.0;
bench angular_margin(M = 512, N = 85742, scale = 64.0) with c in -1.0..1.0;
