// Matrix products: plain and batched, operands stored either way, with sizes that fill no tile.
/// Product of two f32 matrices, the second one stored by columns.
export fn product(left: f32[R, L], right: f32[Q, L]) -> (out: f32[R, Q]) {
    out[r, q] = sum[l](left[r, l] * right[q, l]);
}
check product(R = 1, L = 1, Q = 1);
check product(R = 71, L = 19, Q = 133);
check product(R = 3, L = 515, Q = 2);
check product(R = 5, L = 0, Q = 9);

/// One bf16 product a group with the first operand transposed, plus a row that all of a group share.
export fn grouped(left: bf16[G, L, R], right: bf16[G, L, Q], row: bf16[G, Q]) -> (out: bf16[G, R, Q]) {
    out[g, r, q] = row[g, q] + sum[l](left[g, l, r] * right[g, l, q]);
}
check grouped(G = 1, L = 1, R = 1, Q = 1);
check grouped(G = 3, L = 47, R = 67, Q = 21);
check grouped(G = 2, L = 131, R = 1, Q = 75);
check grouped(G = 0, L = 4, R = 8, Q = 8);
