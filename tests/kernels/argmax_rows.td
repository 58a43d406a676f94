// The place of the largest element of each row: the first that has it, or is NaN.
export fn argmax_rows(x: bf16[M, 50257]) -> (y: i64[M]) {
    let m[r] = max[n](x[r, n]);
    let first[r] = min[n](if x[r, n] == m[r] || isnan(x[r, n]) then i32(n) else 2147483647);
    y[r] = i64(first[r]);
}

check argmax_rows(M = 1);
check argmax_rows(M = 5);
bench argmax_rows(M = 8192);
