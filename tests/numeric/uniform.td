// Conditions on the index along a vector: where lengths are multiples of it they are the same for all of its elements,
// and one access stands behind one test; where they are not, each element has its own (sched/kernel/uniform.c).

// Each half of a row from the other one.
export fn halves(x: bf16[M, 2*D], c: f32[M, D]) -> (y: bf16[M, 2*D]) {
    y[i, d] = if d < D then x[i, d] * c[i, d] - x[i, d + D] else x[i, d] + x[i, d - D] * c[i, d - D];
}
check halves(M = 3, D = 16);
check halves(M = 3, D = 6);
check halves(M = 3, D = 7);
check halves(M = 3, D = 1);
check halves(M = 3, D = 0);
check halves(M = 0, D = 8);
check halves(M = 40, D = 136);

// The same behind a fold, which tests whole vectors.
export fn halves_folded(x: f16[M, 2*D]) -> (y: f16[M, 2*D]) {
    let n[i] = max[d](abs(x[i, d]));
    y[i, d] = (if d >= D then x[i, d - D] else x[i, d + D]) / (1 + n[i]);
}
check halves_folded(M = 3, D = 24);
check halves_folded(M = 3, D = 20);
check halves_folded(M = 3, D = 9);
check halves_folded(M = 3, D = 1);
check halves_folded(M = 3, D = 0);
check halves_folded(M = 2, D = 1000);

// Pieces side by side, of lengths of which each may be a multiple or not, one more than that, and none at all.
export fn pieces(a: f32[M, A], b: f32[M, B]) -> (y: f32[M, A + B]) {
    y[i, j in A] = a[i, j];
    y[i, A + j in B] = 2 * b[i, j];
}
check pieces(M = 3, A = 8, B = 12);
check pieces(M = 3, A = 8, B = 3);
check pieces(M = 3, A = 5, B = 3);
check pieces(M = 3, A = 0, B = 4);
check pieces(M = 3, A = 4, B = 0);
check pieces(M = 9, A = 256, B = 128);

export fn one_more(a: f32[M, N], b: f32[M]) -> (y: f32[M, N + 1]) {
    y[i, j] = if j < N then a[i, j] else b[i];
}
check one_more(M = 3, N = 8);
check one_more(M = 3, N = 7);
check one_more(M = 3, N = 0);

// Lengths that are known: a bound that is a multiple, one that is not, and comparisons at which a multiple makes a
// difference within a vector.
export fn known(x: f16[M, 64]) -> (lt: f16[M, 64], ge: f16[M, 64], le: f16[M, 64], gt: f16[M, 64], eq: f16[M, 64],
                                   odd: f16[M, 64], both: f16[M, 64], neither: f16[M, 64]) {
    lt[i, j] = if j < 32 then x[i, j + 32] else 1.0;
    ge[i, j] = if j >= 32 then x[i, j - 32] else 2.0;
    le[i, j] = if j <= 31 then x[i, j + 32] else 3.0;
    gt[i, j] = if j > 32 then x[i, j - 32] else 4.0;
    eq[i, j] = if j == 32 then x[i, j - 32] else 5.0;
    odd[i, j] = if j < 33 then x[i, j + 31] else 6.0;
    both[i, j] = if j >= 16 && j < 48 then x[i, j + 16] else 7.0;
    neither[i, j] = if !(j < 16 || 48 <= j) then x[i, j - 16] else 8.0;
}
check known(M = 5);
check known(M = 0);

// By quotients and remainders: blocks of eight, of which every third is taken, and of seven.
export fn blocks(x: f32[M, 96]) -> (y: f32[M, 96], z: f32[M, 96], w: f32[M, 96]) {
    y[i, j] = if j / 8 % 3 == 1 then x[i, (j + 8) % 96] else x[i, j];
    z[i, j] = if j % 8 < 4 then x[i, j] else -1.0;
    w[i, j] = if j / 7 % 3 == 1 then x[i, j] else -2.0;
}
check blocks(M = 4);

// A roll and a reversal by a length that is not said, and one by four.
export fn rolled(x: i32[M, N], q: i8[R]) -> (y: i32[M, N], z: i32[M, N], r: i32[M, N], s: i8[R]) {
    y[i, j] = if j < R then x[i, j % N] else x[i, j - R];
    z[i, j] = if j >= 4 then x[i, j - 4] else 7;
    r[i, j] = if N - 1 - j < 8 then x[i, N - 1 - j] else 9;
    s[k] = q[k];
}
check rolled(M = 3, N = 32, R = 8);
check rolled(M = 3, N = 32, R = 3);
check rolled(M = 3, N = 17, R = 4);
check rolled(M = 3, N = 1, R = 1);
check rolled(M = 3, N = 0, R = 0);

// Under a mask that is data of the row, and one that is data of the element.
export fn masked(x: u8[M, 2*N], m: i32[M], e: i32[2*N]) -> (y: u8[M, 2*N], z: u8[M, 2*N]) {
    y[i, j] = u8(if m[i] > 0 && j < N then x[i, j + N] else x[i, j]);
    z[i, j] = u8(if e[j] > 0 then x[i, j] else 5);
}
check masked(M = 4, N = 48) with m in -1..1, e in -1..1;
check masked(M = 4, N = 13) with m in -1..1, e in -1..1;

// Nothing but what the condition tells is loaded: beside it are NaN and infinities.
export fn beside(x: f32[M, 2*D]) -> (y: f32[M, 2*D]) {
    y[i, d] = if d < D then x[i, d + D] / 0.0 else log(-1.0 - abs(x[i, d - D]));
}
check beside(M = 2, D = 8);
check beside(M = 2, D = 5);

// A row within a row: what is made one axis is divided again.
export fn flat(x: f16[A, B, 2*D], c: f16[2*D]) -> (y: f16[A, B, 2*D]) {
    y[a, b, d] = if d < D then x[a, b, d] + c[d + D] else c[d - D];
}
check flat(A = 2, B = 3, D = 8);
check flat(A = 2, B = 3, D = 3);
check flat(A = 2, B = 3, D = 0);
