// A monoid over pairs, and a gather by its result.
export fn argmax_rows(x: f32[M, N]) -> (i: i64[M], v: f32[M]) {
    i[r] = argmax[k](x[r, k]);
    v[r] = pad(x[r, i[r]], -1.0);
}
check argmax_rows(M = 7, N = 91);
check argmax_rows(M = 2, N = 1);
check argmax_rows(M = 2, N = 0);
check argmax_rows(M = 4, N = 128);
