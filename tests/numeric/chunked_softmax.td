// Softmaxes by keys, most positions of which are of few: chunks of exponentials are relative to maxima of their own, also where all of
// a chunk, or of a key, is -inf, and where the maximum stands in the sum, or has other elements than that.
reduce lse[k](e) { let m = max[k](e); return m + log(sum[k](exp(e - m))); }
export fn attended(e: f32[E, H], dst: i32[E]) -> (a: f32[E, H], s: f32[V, H]) {
    assume 0 <= dst[k] && dst[k] < V;
    let m[v in V, h] = max[k where dst[k] == v](e[k, h]);
    s[v, h] = sum[k where dst[k] == v](exp(e[k, h] - m[v, h]));
    a[k, h] = exp(e[k, h] - m[dst[k], h]) / s[dst[k], h];
}
export fn left_out(e: f32[E], dst: i32[E]) -> (y: f32[V], m: f32[V]) {
    m[v] = max[k where dst[k] == v](if e[k] > 0.4 || dst[k] > 2 then e[k] else -inf);
    y[v] = sum[k where dst[k] == v](exp((if e[k] > 0.4 || dst[k] > 2 then e[k] else -inf) - m[v]));
}
export fn rows(x: f32[T], off: i64[B + 1]) -> (y: f32[B], z: f32[B]) {
    assume 0 <= off[b] && off[b] <= T;
    assume b >= B || off[b] <= off[b + 1];
    y[b] = lse[j in off[b]..off[b + 1]](3 * x[j]);
    let m[b in B] = max[j in off[b]..off[b + 1]](x[j]);
    z[b] = sum[j in off[b]..off[b + 1]](exp(2 * x[j] - m[b]));
}

check attended(E = 900, H = 2, V = 3) with dst in 0..3;
check attended(E = 9000, H = 1, V = 40) with dst in 0..2; // check-all
check attended(E = 70, H = 3, V = 100) with dst in 0..99;
check attended(E = 0, H = 1, V = 2); // check-all
check left_out(E = 1000, V = 4) with dst in 0..4;
check left_out(E = 5000, V = 3) with dst in 0..1;
check rows(T = 9000, B = 2); // check-all
check rows(T = 5000, B = 60);
check rows(T = 3, B = 5);
check rows(T = 0, B = 1);
