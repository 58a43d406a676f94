// Short rows of a length that is not known, in as many lanes as a row needs: the other lanes of a warp have other rows.
export fn settled_lanes(x: bf16[B, M, N], w: f32[N], inout z: f32[B, M]) -> (y: f32[B, M, N], at: i64[B, M], any: bool[B, M]) {
    let m[b, r] = max[n](x[b, r, n]);
    let s[b, r] = sum[n](exp(x[b, r, n] - m[b, r]) * w[n]);
    y[b, r, n] = exp(x[b, r, n] - m[b, r]) / (s[b, r] + 1.0);
    at[b, r] = argmax[n](x[b, r, n]);
    any[b, r] = any[n](x[b, r, n] > 1.0);
    z[b, r] = z[b, r] * m[b, r];
}

check settled_lanes(B = 1, M = 1, N = 1);
check settled_lanes(B = 3, M = 5, N = 0);
check settled_lanes(B = 3, M = 0, N = 7);
check settled_lanes(B = 3, M = 5, N = 2);
check settled_lanes(B = 2, M = 9, N = 3);
check settled_lanes(B = 5, M = 17, N = 16);
check settled_lanes(B = 1, M = 33, N = 31);
check settled_lanes(B = 2, M = 17, N = 64);
check settled_lanes(B = 1, M = 5, N = 65);
check settled_lanes(B = 1, M = 5, N = 127);
check settled_lanes(B = 1, M = 5, N = 128);
