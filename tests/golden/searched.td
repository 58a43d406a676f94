// What is best of long rows, and where: many blocks have shares, of which both are stored, though the index is all that is
// read; what folds them takes the lower index of equal ones.
export fn searched(x: bf16[2, 4000000], w: i32[4000000]) -> (hi: i64[2], lo: i64[]) {
    hi[i] = argmax[j](x[i, j]);
    lo[] = argmin[j where w[j] > 0](w[j]);
}
