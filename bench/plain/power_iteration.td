// One step of the power method for the largest singular value of a weight, and the weight divided by it.
import "norm";
import "linalg";
export fn power_iteration(w: f32[M, N], inout u: f32[M]) -> (y: f32[M, N], sigma: f32[]) {
    let v[j] = sum[i](w[i, j] * u[i]);
    let n = normalize(v);
    let z = mv(w, n);
    u = normalize(z);
    sigma[] = sum[i](new(u)[i] * z[i]);
    y[i, j] = w[i, j] / sigma[];
}
check power_iteration(M = 13, N = 37);
bench power_iteration(M = 4096, N = 1777);
