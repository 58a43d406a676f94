// The place of an extreme value where many are equal: the first one counts.
/// Rounded values along the middle axis: few distinct ones, so that nearly every row has ties.
export fn ties(x: f32[B, L, Q]) -> (hi: i64[B, Q], lo: i64[B, Q]) {
    let step[b, l, q] = round(x[b, l, q]);
    hi[b, q] = argmax[l](step[b, l, q]);
    lo[b, q] = argmin[l](step[b, l, q]);
}
check ties(B = 1, L = 1, Q = 1);
check ties(B = 3, L = 301, Q = 45);
check ties(B = 1, L = 2999, Q = 2);
check ties(B = 2, L = 0, Q = 3);

/// Small integers with everything equal, and under a guard that leaves out every other place.
export fn level(x: i8[B, L, Q]) -> (same: i64[B, Q], odd: i64[B, Q]) {
    same[b, q] = argmax[l](x[b, l, q] * 0);
    odd[b, q] = argmin[l where l % 2 == 1](x[b, l, q] % 3);
}
check level(B = 1, L = 1, Q = 1);
check level(B = 5, L = 67, Q = 9);
check level(B = 2, L = 130, Q = 33);
check level(B = 3, L = 0, Q = 2);
