// The same product as model.td's layer under other names, and one that no line is for.
export fn dense(a: bf16[R, D], v: bf16[D, C], s: bf16[C]) -> (z: bf16[R, C]) { z[p, q] = max(s[q] + sum[d](v[d, q] * a[p, d]), 0.0); }
export fn plain(a: bf16[R, D], v: bf16[D, C]) -> (z: bf16[R, C]) { z[p, q] = sum[d](v[d, q] * a[p, d]); }
check dense(R = 32, D = 64, C = 24);
check plain(R = 32, D = 64, C = 24);
