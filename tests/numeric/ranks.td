// sort, argsort and topk: every type, rows that a block has, parts of rows, digits; ties, NaN, zeros, infinities.
fn ranks<T>(x: T[B, N], K: int) -> (v: T[B, N], at: i64[B, N], top: T[B, K], place: i64[B, K], order: i64[B, N]) {
    (v[b, r], at[b, r]) = sort[i](x[b, i]);
    (top[b, r], place[b, r]) = topk[i](x[b, i], K);
    order[b, i] = argsort[i](x[b, i]);
}
export ranks_f64 = ranks(T = f64);
export ranks_f32 = ranks(T = f32);
export ranks_f16 = ranks(T = f16);
export ranks_bf16 = ranks(T = bf16);
export ranks_e5m2 = ranks(T = f8e5m2);
export ranks_i64 = ranks(T = i64);
export ranks_i32 = ranks(T = i32);
export ranks_i16 = ranks(T = i16);
export ranks_i8 = ranks(T = i8);
export ranks_u32 = ranks(T = u32);
export ranks_u16 = ranks(T = u16);
export ranks_u8 = ranks(T = u8);
export ranks_u4 = ranks(T = u4);
check ranks_f64(B = 3, N = 300, K = 33);
check ranks_f64(B = 2, N = 4101, K = 1100); // check-all
check ranks_f32(B = 0, N = 5, K = 3);
check ranks_f32(B = 2, N = 0, K = 0);
check ranks_f32(B = 3, N = 1, K = 1);
check ranks_f32(B = 3, N = 2, K = 0);
check ranks_f32(B = 2, N = 256, K = 256);
check ranks_f32(B = 2, N = 257, K = 1);
check ranks_f32(B = 1, N = 4096, K = 4096);
check ranks_f32(B = 2, N = 4097, K = 8); // check-all
check ranks_f32(B = 2, N = 4097, K = 1025);
check ranks_f32(B = 2, N = 3, K = 4) error "topk takes K of N elements";
check ranks_f32(B = 37, N = 64, K = 2);
check ranks_f32(B = 300, N = 3, K = 3);
check ranks_f32(B = 5, N = 256, K = 16);
check ranks_f32(B = 3, N = 1024, K = 16);
check ranks_f32(B = 3, N = 1025, K = 16);
check ranks_f64(B = 9, N = 31, K = 5);
check ranks_f64(B = 2, N = 700, K = 3);
check ranks_f16(B = 9, N = 33, K = 9);
check ranks_i8(B = 70, N = 9, K = 1);
check ranks_f16(B = 2, N = 4100, K = 1024);
check ranks_f16(B = 1, N = 4096, K = 7);
check ranks_bf16(B = 2, N = 1000, K = 1000);
check ranks_i8(B = 3, N = 300, K = 40);
check ranks_u8(B = 5, N = 64, K = 2);
check ranks_u16(B = 5, N = 65, K = 65);
check ranks_bf16(B = 2, N = 5000, K = 4999); // check-all
check ranks_e5m2(B = 3, N = 100, K = 5);
check ranks_i64(B = 2, N = 4200, K = 20); // check-all
check ranks_i32(B = 2, N = 5001, K = 9);
check ranks_i16(B = 2, N = 4111, K = 1027); // check-all
check ranks_i8(B = 2, N = 4111, K = 1027);
check ranks_u32(B = 3, N = 500, K = 100);
check ranks_u16(B = 3, N = 5003, K = 3); // check-all
check ranks_u8(B = 2, N = 4111, K = 7);
check ranks_u4(B = 3, N = 41, K = 7);

/// Parts of a row, whose best elements are merged; ends that no access begins at.
export fn parts(x: f32[N], h: f16[N], d: f64[N], K: int) -> (v: f32[K], at: i64[K], w: f16[K], y: f64[K]) {
    (v[r], at[r]) = topk[i](x[i], K);
    (w[r], _) = topk[i](h[i], K);
    (y[r], _) = topk[i](d[i], K);
}
check parts(N = 20011, K = 1);
check parts(N = 18001, K = 700);

/// Few distinct values in an order that has to be kept; NaN, infinities and zeros of both signs among them.
export fn level(x: f32[B, N], K: int) -> (v: f32[B, N], at: i64[B, N], top: f32[B, K], place: i64[B, K]) {
    let y[b, i in N] = if i % 11 == 5 then nan else if i % 7 == 3 then inf else if i % 13 == 2 then -inf
                  else if i % 3 == 0 then 0.0 * x[b, i] else round(x[b, i]);
    (v[b, r], at[b, r]) = sort[i](y[b, i]);
    (top[b, r], place[b, r]) = topk[i](y[b, i], K);
}
check level(B = 3, N = 301, K = 301);
check level(B = 2, N = 6007, K = 1000);
check level(B = 2, N = 4500, K = 2000); // check-all

/// The signs of zeros are kept, and are no order.
export fn zeros(x: f32[N]) -> (v: f32[N], at: i64[N]) {
    let (s[r], p[r]) = sort[i in N](if i % 2 == 0 then 0.0 * abs(x[i]) else -0.0 * abs(x[i]));
    v[r] = 1 / s[r];
    at[r] = p[r];
}
check zeros(N = 5);

/// All elements ascending: each comes before what was kept.
export fn ascending(N: int) -> (at: i64[70], least: i64[70]) {
    (_, at[r]) = topk[i in N](i, 70);
    let (_, p[r in 70]) = topk[i in N](-i, 70);
    least[r] = p[r];
}
check ascending(N = 20000); // check-all
check ascending(N = 70);
check ascending(N = 69) error "topk takes 70 of N elements";

/// Rows of several axes, ranked along the middle one, of an expression; ranges that begin elsewhere; several ranks that
/// read one tensor; the result of one in another.
export fn rows(x: bf16[A, N, C, D], bias: f32[N]) -> (y: f32[C, 3, D, A], at: i64[C, 3, D, A], z: f32[A, N - 2, C, D], q: i64[A, N - 2, C, D], median: f32[A, C, D]) {
    require N >= 5;
    let s[a, n, c, d] = 0.25 * x[a, n, c, d] + bias[n];
    (y[c, r, d, a], at[c, r, d, a]) = topk[n](s[a, n, c, d], 3);
    (z[a, r, c, d], q[a, r, c, d]) = sort[n in 2..N](s[a, n, c, d]);
    let (m[a, c, d, r], _) = sort[n](s[a, n, c, d]);
    median[a, c, d] = (m[a, c, d, (N - 1) / 2] + m[a, c, d, N / 2]) / 2;
}
check rows(A = 2, N = 37, C = 3, D = 2);
check rows(A = 1, N = 5, C = 1, D = 1);
check rows(A = 0, N = 5, C = 1, D = 1);

fn best<K: int>(x: f32[E]) -> (at: i64[K]) {
    (_, at[r]) = topk[e](x[e], K);
}
/// Gating: a function of each row, places as subscripts, sums over ranks; and an inout as it was before.
export fn gates(x: f32[T, E], w: f32[E, D], inout old: f32[E]) -> (y: f32[T, D], at: i64[T, 2], first: f32[E], load: i32[E]) {
    require E >= 2;
    let e[t, r] = best(x[t, ...], K = 2)[r];
    let g[t, r] = exp(x[t, e[t, r]] - x[t, e[t, 0]]);
    y[t, d] = sum[r](g[t, r] * w[e[t, r], d]) / sum[r](g[t, r]);
    at[t, r] = e[t, r];
    let (s[r], _) = sort[i](old[i]);
    first[i] = s[i];
    old[i] = 2 * old[i] + s[0];
    load[at[t, r]] += 1;
}
check gates(T = 37, E = 8, D = 5);
check gates(T = 1, E = 2, D = 1);
check gates(T = 0, E = 2, D = 3);
