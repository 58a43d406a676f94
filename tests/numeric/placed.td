// Rows that data name, of which the last that names one counts: what is stored is found by who names it.
export fn append(inout q: f16[P, H, D], kv: f16[T, H, D], slot: i32[T]) {
    assume 0 <= slot[t] && slot[t] < P;
    q[slot[t], h, d] = kv[t, h, d];
}
check append(P = 7, H = 2, D = 5, T = 9) with slot in 0..P;
check append(P = 100, H = 3, D = 8, T = 40) with slot in 0..P;
check append(P = 100, H = 3, D = 8, T = 0) with slot in 0..P;
check append(P = 1, H = 1, D = 1, T = 64) with slot in 0..P;
check append(P = 5, H = 4, D = 0, T = 3) with slot in 0..P; // check-all

// in two subscripts
export fn paged(inout q: f32[P, 16, D], kv: f32[B, S, D], slot: i64[B, S]) {
    assume 0 <= slot[b, s] && slot[b, s] < 16*P;
    q[slot[b, s] / 16, slot[b, s] % 16, d] = 2 * kv[b, s, d];
}
check paged(P = 3, D = 7, B = 2, S = 9) with slot in 0..48;
check paged(P = 3, D = 8, B = 3, S = 1) with slot in 0..48; // check-all

// one table a batch, and a condition of its own
export fn rows(inout q: f32[B, P, D], kv: f32[B, T, D], slot: i32[B, T], keep: bool[B, T]) {
    assume 0 <= slot[b, t] && slot[b, t] < P;
    q[b, slot[b, t], d] = kv[b, t, d] where keep[b, t];
}
check rows(B = 3, P = 5, D = 9, T = 8) with slot in 0..P;

// several tensors, one that is the sum with what was there
export fn both(inout q: f32[P, D], inout s: f32[P], inout n: i32[P], kv: f32[T, D], slot: i32[T]) {
    assume 0 <= slot[t] && slot[t] < P;
    let scale[t] = max[d](abs(kv[t, d]));
    q[slot[t], d] = kv[t, d] / scale[t];
    s[slot[t]] = scale[t];
    n[slot[t]] = n[slot[t]] + 1;
}
check both(P = 9, D = 13, T = 12) with slot in 0..P;
