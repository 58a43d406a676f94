// Pieces of two lengths, one of them small: two kernels become parts of one, and the small one goes into each case of
// the other's choice by size.
dim S hint 196;
export fn row_before(x: bf16[128, S, 768], t: bf16[768]) -> (y: bf16[128, S + 1, 768]) {
    y[b, 0, d] = t[d];
    y[b, 1 + s in S, d] = x[b, s, d];
}

// Equal equations of other lengths, and one of another form: parts of one form stand side by side.
export fn steps(inout p: f32[L], g: f32[L], inout q: f32[M], h: f32[M], inout r: f32[N], o: f32[N], rate: f32) {
    p[i] = p[i] - rate * g[i];
    q[i] = q[i] - 2.0 * rate * h[i];
    r[i] = r[i] - rate * o[i];
}
