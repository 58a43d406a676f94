// Scans over the last and over a leading axis, inclusive and not.
/// Along a row: the sum so far, the largest so far, and the sum of what comes later.
export fn along(x: f32[R, L]) -> (total: f32[R, L], peak: f32[R, L], rest: f32[R, L]) {
    total[r, l] = sum[k where k <= l](x[r, k]);
    peak[r, l] = max[k where k <= l](x[r, k]);
    rest[r, l] = sum[k where k > l](x[r, k]);
}
check along(R = 1, L = 1);
check along(R = 7, L = 389);
check along(R = 67, L = 33);
check along(R = 3, L = 0);

/// Down the middle axis: a count in integers, and the largest before here, which starts at minus infinity.
export fn down(x: f16[B, L, Q]) -> (count: i32[B, L, Q], before: f16[B, L, Q]) {
    count[b, l, q] = sum[k where k <= l](x[b, k, q] > 0.0);
    before[b, l, q] = max[k where k < l](x[b, k, q]);
}
check down(B = 1, L = 1, Q = 1);
check down(B = 3, L = 101, Q = 19);
check down(B = 2, L = 517, Q = 1);
check down(B = 0, L = 6, Q = 2);

// The first of the best at or after each place; the place itself where a guard leaves more out.
export fn best_after(x: i8[M, N]) -> (a: i64[M, N], b: i64[M, N]) {
    a[i, j] = argmax[k where k >= j](x[i, k]);
    b[i, j] = argmin[k where k > j && x[i, k] > 0](x[i, k]);
}
check best_after(M = 3, N = 40);
check best_after(M = 2, N = 1);

/// Places beside the running index: exclusive sums never reach the last one, whose neighbour is out of range.
export fn beside(x: f32[L]) -> (down: f32[L], up: f32[L]) {
    down[l] = sum[k in 0..L where k > l](x[k - 1]);
    up[l] = max[k in 0..L where k < l](x[k + 1]);
}
check beside(L = 1);
check beside(L = 300);

/// Running sums beside a reduction whose rows lie across them: neither has a loop inside the other's.
export fn across(x: f32[B, B], w: f32[A], z: bool[B]) -> (y: f32[B, A]) {
    let t[i, j] = exp(atan2(x[i, i], w[j]) * max[k in 0..A](x[i, i] * w[k]) * 1e-3);
    y[i, j] = if z[i] then 0.0 else sum[k in 0..B where k < i](t[k, j] - k);
}
check across(A = 5, B = 77);

/// Scans of scans: along the other axis, whose rows lie across, and along the same one.
export fn scan_of_scan(x: f32[B, B, B], z: f32[R, L]) -> (a: f32[B, B], d: f32[B, B], c: f32[R, L]) {
    a[i, j] = sum[k in 0..B where k >= j](max[l in 0..B where l <= i](x[l, k, l]));
    d[i, j] = 1.0 + 0.5 * sum[k in 0..B where k < j](max[l in 0..B where l <= i](x[l, k, k])) + max[l in 0..B where l <= i](x[j, j, l]);
    c[r, l] = sum[k in 0..L where k <= l](max[m where m <= k](z[r, m]));
}
check scan_of_scan(B = 6, R = 3, L = 70);
check scan_of_scan(B = 35, R = 1, L = 1);

/// Running sums that read a maximum and a sum of exponentials, which may be folded in one pass: how many of the largest
/// probabilities come to less than p.
export fn nucleus(x: f32[T, V], p: f32) -> (n: i64[T]) {
    let m[t] = max[v](x[t, v]);
    let z[t] = sum[v](exp(x[t, v] - m[t]));
    let (s[t, r], _) = sort[v](-x[t, v]);
    let c[t, r in V] = sum[k where k <= r](exp(-s[t, k] - m[t]) / z[t]);
    n[t] = sum[r](i64(c[t, r] < p));
}
check nucleus(T = 3, V = 500, p = 0.9);
check nucleus(T = 2, V = 1, p = 0.5);
