// Columns of a length that is not known, in as many warps as they need, more of them than each thread folds by itself.
export fn settled_columns(x: bf16[B, M, D], w: f32[D]) -> (y: f32[B, M, D], any: bool[B, D]) {
    let t[b, d] = max[k](x[b, k, d]);
    let s[b, d] = sum[k](exp(x[b, k, d] - t[b, d]));
    y[b, k, d] = exp(x[b, k, d] - t[b, d]) / (s[b, d] + 1.0) * w[d];
    any[b, d] = any[k](x[b, k, d] > 1.0);
}

check settled_columns(B = 1, M = 1, D = 1);
check settled_columns(B = 2, M = 0, D = 3);
check settled_columns(B = 2, M = 5, D = 0);
check settled_columns(B = 2, M = 8, D = 16);
check settled_columns(B = 3, M = 9, D = 17);
check settled_columns(B = 2, M = 63, D = 40);
check settled_columns(B = 1, M = 121, D = 5);
check settled_columns(B = 2, M = 128, D = 3);
