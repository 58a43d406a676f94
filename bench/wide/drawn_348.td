// Random program 348; how it was drawn: DRAWN in wide.py.
fn turn(x: f32[Q, S]) -> (a: f32[S, Q], c: f32[Q]) {
    a[s, q] = x[q, s] * 0.5;
    c[q] = sum[s](x[q, s]);
}
export fn drawn_348(x4: f32[A*B, C], inout p7: i32[8*C, A*B], x8: i32[8*C], x9: bool[8*C, A*B, B], x10: bool[8*C, A*B]) {
    assume 0 <= x8[a] && x8[a] <= B;
    let (_, t6) = turn(x4);
    p7[i, j] += if isfinite((x4[j, i / 8] + x4[j, i / 8]) + f16(t6[j])) then i32(!all[k in x8[i]..B](x9[i, j, k])) else i32(x10[(i + 1) % (8*C), j]);
}
check drawn_348(A = 3, B = 5, C = 2);
bench drawn_348(A = 51, B = 51, C = 51);
