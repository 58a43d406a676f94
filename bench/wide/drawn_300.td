// Random program 300; how it was drawn: DRAWN in wide.py.
fn f0(a) = max(a, 0.1 * a);
export fn drawn_300(x0: f32[C + D, C + D]) -> (y1: f64[C + D, C + D, C + D]) {
    y1[i, j, k] = sinh(tanh((expm1(-abs((x0[max(j - 1, 0), j] - rsqrt(abs(x0[j, j]) + 0.3)))) + f0(max[l in 0..C + D, m in 0..C + D](sum[n in 0..D + 2 where true](10.0))))));
}
check drawn_300(C = 3, D = 4);
bench drawn_300(C = 99, D = 99);
