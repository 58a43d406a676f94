// The first place of the best element, whatever the elements are: rows of one value, of NaN, of infinities, of both zeros.
// Threads compare vectors by their best value and look for the place later (lower_select.c), in rows of every length.
fn mixed(v: f32, i: int, j: int) -> f32 {
    let hole = (i * 7 + j * 5) % 11;
    return if i % 8 == 0 then -inf
        else if i % 8 == 1 then (if hole == 3 then nan else v)
        else if i % 8 == 2 then nan
        else if i % 8 == 3 then (if hole == 0 then 0.0 else -0.0)
        else if i % 8 == 4 then (if hole == 4 then inf else round(v))
        else if i % 8 == 5 then (if j % 3 == 1 then -inf else nan)
        else if i % 8 == 6 then 1.0
        else v;
}

/// Stored elements of 16 and 32 bits, two or one in a word.
export fn stored(x: bf16[M, N], y: f16[M, N], z: f32[M, N], u: i8[M, N], w: i32[M, N])
        -> (a: i64[M], b: i64[M], c: i64[M], d: i64[M], e: i64[M]) {
    a[i] = argmax[j](x[i, j]);
    b[i] = argmin[j](y[i, j]);
    c[i] = argmax[j](z[i, j]);
    d[i] = argmin[j](u[i, j]);
    e[i] = argmax[j](w[i, j]);
}
check stored(M = 3, N = 1);
check stored(M = 3, N = 37);
check stored(M = 2, N = 4096);
check stored(M = 2, N = 5003);
check stored(M = 2, N = 0);

/// Computed elements.
export fn computed(x: bf16[M, N], z: f64[M, N]) -> (a: i64[M], b: i64[M], c: i64[M], d: i64[M]) {
    a[i] = argmax[j](mixed(x[i, j], i, j));
    b[i] = argmin[j](mixed(x[i, j], i, j));
    c[i] = argmax[j](if i % 2 == 0 then z[i, j] else round(z[i, j]));
    d[i] = argmin[j](i32(x[i, j] * 2));
}
check computed(M = 17, N = 1);
check computed(M = 17, N = 40);
check computed(M = 17, N = 1021);
check computed(M = 9, N = 4096);
check computed(M = 9, N = 20000); // check-all

/// Under guards, also on data, and along columns.
export fn guarded(x: f32[M, N]) -> (a: i64[M], b: i64[M], c: i64[N]) {
    a[i] = argmax[j where j % 5 == 2](mixed(x[i, j], i, j));
    b[i] = argmin[j where x[i, j] > 0.5](round(x[i, j] * 2));
    c[j] = argmax[i](mixed(x[i, j], j, i));
}
check guarded(M = 17, N = 2);
check guarded(M = 17, N = 300);
check guarded(M = 300, N = 17);
check guarded(M = 2, N = 9001);
