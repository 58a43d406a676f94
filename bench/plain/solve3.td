// Systems of three equations by the inverse, and what is left of the right side.
import "linalg";
export fn solve3(a: f32[B, 3, 3], r: f32[B, 3]) -> (x: f32[B, 3], residual: f32[]) {
    let s[b, i, j] = a[b, i, j] + (if i == j then 6.0 else 0.0);
    let v = inv3(s);
    x[b, i] = sum[j](v[b, i, j] * r[b, j]);
    let off[b, i] = r[b, i] - sum[j](s[b, i, j] * x[b, j]);
    residual[] = sqrt(mean[b, i](off[b, i] ** 2));
}
check solve3(B = 101) with a ~ 0.5 tol 1e-3;
bench solve3(B = 2000003) with a ~ 0.5 tol 1e-3;
