// The place of the largest element of each row.
export fn argmax_rows(x: bf16[M, 50257]) -> (y: i64[M]) {
    y[r] = argmax[n](x[r, n]);
}

check argmax_rows(M = 1);
check argmax_rows(M = 5);
bench argmax_rows(M = 8192);
