// clause 7.10, 7.12
export fn rankings(x: f32[M, 8], p: bool[N], t: i32[M], K: int) -> (y: f32[M, 8], z: f32[M, 9], u: i64[M, K], v: f32[M, K], w: i64[N]) {
    y[m, r] = sort[i](x[m, i]);                                 // expect error[E0411]: sort has 2 results, here one is needed
    (z[m, r], _) = topk[i](x[m, i], 9);                         // expect error[E0425]: topk takes 9 of 8 elements
    u[m, r] = argsort[i where i > 2](x[m, i]);                  // expect error[E0425]: argsort has no where
    (v[m, r], _) = topk[i](x[m, i]);                            // expect error[E0405]: topk takes what is ranked, and how many
    w[r] = argsort[i](p[i]);                                    // expect error[E0415]: argsort of bool
}
// clause 7.10
export fn no_rank(x: f32[M, N], t: i32[M]) -> (y: i64[M], z: i64[M, N, 3], u: i64[M, N], v: f32[N], w: i64[M, N], s: i64[N, 2]) {
    assume 0 <= t[m] && t[m] <= N;
    y[m] = argsort[n](x[m, n]);                                 // expect error[E0425]: no index on the left-hand side is the rank
    z[m, a, b] = argsort[n](x[m, n]);                           // expect error[E0425]: a and b on the left-hand side could both be the rank
    u[m, r] = argsort[i in 0..t[m]](x[m, i]);                   // expect error[E0505]: how many ranks argsort has
    v[r] = f32(argsort[n](x[0, n]));                            // expect error[E0425]: argsort stands alone behind =
    w[m, r] = argsort[i, j](x[i, j]);                           // expect error[E0425]: argsort ranks along one index variable
    s[n, r] = argsort[m](x[m, n]);                              // expect error[E0425]: r runs over 0..2, and argsort has M ranks
}
// clause 7.10
export fn whole_ranks(x: f32[M, N]) -> (y: f32[M, N], a: i64[M, N], at: i64[M, N]) {
    y = sort(x);                                                // expect error[E0424]: sort ranks along an index
    (_, at[m, r]) = sort[q](x[m, k]);                           // expect error[E0600]: nothing says how far q runs
    a[m, r] = argsort[n](if r < 2 then x[m, n] else 0);         // expect error[E0425]: no index on the left-hand side is the rank
}
