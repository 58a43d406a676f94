// The logarithm of the sum of exponentials over the second and fourth of five axes.
import "nn";
export fn lse_odd_axes(x: f16[A, B, C, D, E]) -> (y: f32[A, C, E]) {
    let m[a, c, e] = max[b, d](x[a, b, c, d, e]);
    y[a, c, e] = m[a, c, e] + log(sum[b, d](exp(x[a, b, c, d, e] - m[a, c, e])));
}
check lse_odd_axes(A = 3, B = 5, C = 7, D = 9, E = 11);
bench lse_odd_axes(A = 8, B = 16, C = 33, D = 64, E = 100);
