// An embedding of a large vocabulary as the product of two small ones, of the quotient and of the remainder.
export fn split_table(a: f16[R, D], b: f16[Q, D], ids: i64[B, F]) -> (y: f16[B, F, D], big: i64[F]) {
    require R >= 1;
    assume 0 <= ids[n, f] && ids[n, f] < R*Q;
    y[n, f, d] = a[ids[n, f] % R, d] * b[ids[n, f] / R, d];
    big[f] = max[n](ids[n, f]);
}
check split_table(R = 13, Q = 7, D = 19, B = 11, F = 3);
bench split_table(R = 4096, Q = 2441, D = 32, B = 40000, F = 39);
