// Constants of f64: comparisons with fractions, the identities of max and min, an infinity written as such.
export fn f64_constants(x: f64[A, B]) -> (below: bool[A, B], most: f64[A], least: f32[A], kept: f64[A, B]) {
    below[i, j] = x[i, j] < -0.75 || x[i, j] >= 0.25;
    most[i] = max[j in 0..B where j < i](x[i, j]);
    least[i] = f32(min[j in 0..B where j < i](max[k in 0..A where k > j](x[k, j])));
    kept[i, j] = if x[i, j] > 0.5 then x[i, j] else -inf;
}
check f64_constants(A = 4, B = 5);
check f64_constants(A = 64, B = 33);

// A condition of constants, whose side is compared again; a remainder of constants.
fn leaky(a) = if a > 0.0 then a else tanh(a);
export fn decided(x: f32[A]) -> (y: f32[A]) { y[i] = x[i] * leaky(leaky(1e-3)) + 1.0 % 1.5; }
check decided(A = 5);
