// The place of the best in long rows, few of them: blocks search a share each, and another kernel among what they found.
/// One row whose length is known, odd and even, with many ties: the first counts, whichever share has it.
export fn one_row(x: bf16[2000003], w: i32[2097152]) -> (hi: i64[], lo: i64[], best: f32[], at: i64[]) {
    hi[] = argmax[j](round(x[j]));
    lo[] = argmin[j](x[j] * x[j]);
    best[] = max[j](x[j]);
    at[] = argmax[j where w[j] % 3 == 1](w[j] / 1000);
}
check one_row();

/// A NaN is better than any number, of several the first; of a row that is -inf all over the first element is best.
export fn special(x: f32[2, 300007]) -> (hi: i64[2], lo: i64[2], all: i64[2], none: i64[2]) {
    let t[i, j in 0..300007] = if j % 90001 == 70000 - i then nan else x[i, j];
    hi[i] = argmax[j](t[i, j]);
    lo[i] = argmin[j](t[i, j]);
    all[i] = argmax[j](if isnan(x[i, j]) then x[i, j] else -inf);
    none[i] = argmin[j where x[i, j] > 100.0](x[i, j]);
}
check special();

/// Lengths that nobody says anything of; what is searched for stands behind something else.
export fn unsaid(x: f32[M, N]) -> (at: i64[M], far: f32[M]) {
    at[i] = argmax[j](round(x[i, j] * 2.0));
    far[i] = f32(argmin[j](abs(x[i, j] - 0.25))) / f32(N);
}
check unsaid(M = 1, N = 0);
check unsaid(M = 0, N = 5);
check unsaid(M = 3, N = 1);
check unsaid(M = 2, N = 4099);
check unsaid(M = 1, N = 600011);
check unsaid(M = 3, N = 524296); // check-all

/// Few columns that are long.
export fn columns(x: f16[N, 3]) -> (at: i64[3]) { at[j] = argmax[i](round(x[i, j])); }
check columns(N = 0);
check columns(N = 1);
check columns(N = 200001);
