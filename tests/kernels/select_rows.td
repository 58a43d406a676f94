// Places of extremes in rows that a thread holds several of, in vectors and not, cut and whole.
export fn select_rows(x: bf16[M, N], z: f32[M, N]) -> (hi: i64[M], lo: i64[M]) {
    hi[i] = argmax[j](round(x[i, j]));
    lo[i] = argmin[j in 0..N](if j % 4 == 1 && i % 3 == 0 then nan else round(z[i, j] * 2));
}
check select_rows(M = 9, N = 256);
check select_rows(M = 7, N = 250);
check select_rows(M = 3, N = 13);
check select_rows(M = 4, N = 2000);
check select_rows(M = 2, N = 0);
