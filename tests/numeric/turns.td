// Subscripts that wrap around a length which is a product or an expression of dimensions.
dim B in 1..=64;
export fn rotate(inout p: f32[5*B], x: f32[A*B]) -> (y: f32[A*B], z: bool[]) {
    p[i] = p[(i + 1) % (5*B)];
    y[i] = x[(i + 3) % (A*B)];
    z[] = 1.5 < 1 || 2 <= 2.0;
}
check rotate(A = 3, B = 1);
check rotate(A = 7, B = 12);
check rotate(A = 0, B = 5);

// One sum of everything, wanted at many places.
export fn everywhere(x: f32[4*B]) -> (z: f16[B]) {
    z[i] = sum[j in 0..4*B, k in 0..4*B](x[j] * x[k]);
}
check everywhere(B = 4);

// Two loads of narrow types, neither of which fills its words, side by side.
export fn beside(x: bool[A], w: f8e4m3[A]) -> (y: f32[A]) {
    y[i] = if x[i] && (w[i] > 1) then cosh(tanh(mean[j in 0..A where x[i - i % 4]](1.0))) else 1.0;
}
check beside(A = 17);
