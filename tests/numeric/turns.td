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
