// Rows that are changed in place by the elements at their other ends.
export fn rows_in_place(inout x: f16[M, 130]) {
    x[r, n] = x[r, 129 - n] - 0.5 * x[r, n];
}

check rows_in_place(M = 13);
check rows_in_place(M = 6);
check rows_in_place(M = 1);
check rows_in_place(M = 0);
