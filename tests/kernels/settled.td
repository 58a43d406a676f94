// Rows of a length that is not known, in as many warps as a row needs: those behind its end are not launched.
export fn settled(x: bf16[M, N], w: f32[N]) -> (y: f32[M, N], top: f32[M], at: i64[M], any: bool[M]) {
    let m[r] = max[n](x[r, n]);
    let s[r] = sum[n](exp(x[r, n] - m[r]) * w[n]);
    y[r, n] = exp(x[r, n] - m[r]) / (s[r] + 1.0);
    top[r] = m[r];
    at[r] = argmax[n](x[r, n]);
    any[r] = any[n](x[r, n] > 1.0);
}

check settled(M = 1, N = 1);
check settled(M = 3, N = 0);
check settled(M = 2, N = 127);
check settled(M = 2, N = 128);
check settled(M = 2, N = 129);
check settled(M = 3, N = 1000);
check settled(M = 2, N = 1271);
check settled(M = 2, N = 1280);
