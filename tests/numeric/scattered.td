// Values that go to places of their row that data name, with lengths that are known and such that are not.
export fn pooled(g: f16[N, C, P], at: i64[N, C, P]) -> (y: f16[N, C, V]) {
    y[n, c, v] = sum[p where at[n, c, p] == v](g[n, c, p]);
}
check pooled(N = 3, C = 5, P = 101, V = 700) with at in -5..720;
check pooled(N = 2, C = 1, P = 64, V = 1) with at in 0..1;
check pooled(N = 1, C = 3, P = 0, V = 9);
check pooled(N = 0, C = 3, P = 8, V = 9) with at in 0..9;

/// Rows and places whose numbers are known: one element, many that are equal, none.
export fn fixed(g: f32[4, 3000], at: i32[4, 3000]) -> (y: f32[4, 2500], n: i32[4, 2500]) {
    y[m, v] = sum[p where i64(at[m, p]) == v](g[m, p]);
    n[m, v] = sum[p where i64(at[m, p]) == v](1);
}
check fixed() with at in 0..2500;
check fixed() with at in 7..8;

export fn no_rows(g: f32[0, P], at: i64[0, P]) -> (y: f32[0, V]) { y[m, v] = sum[p where at[m, p] == v](g[m, p]); }
check no_rows(P = 300, V = 200) with at in 0..200;
export fn no_places(g: f32[300, P], at: i64[300, P]) -> (y: f32[300, 0]) { y[m, v] = sum[p where at[m, p] == v](g[m, p]); }
check no_places(P = 300) with at in 0..200;

/// One row: shares of it have all places. Weights beside how many there are, of a key that is computed.
export fn weighted(x: f32[200000], w: f32[200000]) -> (y: f32[37], least: f32[37]) {
    let k[i] = clamp(i64(x[i] * 9.0) + 18, 0, 36);
    y[v] = sum[i where k[i] == v](w[i]);
    least[v] = min[i where k[i] == v](w[i]);
}
check weighted();
