// The divergence of a student's rows from a teacher's, both at one temperature.
import "nn";
export fn distill_rows(s: f16[M, N], t: f16[M, N]) -> (y: f32[M]) {
    let a[i, j] = s[i, j] / 2.0;
    let b[i, j] = t[i, j] / 2.0;
    let p = log_softmax(a);
    let q = log_softmax(b);
    y[i] = 4 * sum[j](exp(q[i, j]) * (q[i, j] - p[i, j]));
}
check distill_rows(M = 3, N = 131);
bench distill_rows(M = 8192, N = 10000);
