// Tensors at aligned addresses and elsewhere, of lengths that are known and of such that are not: elsewhere rows, maps
// and relayouts have kernels of their own. The third run of a check has its tensors begin one element late.
export fn rows(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let m[i] = max[k](x[i, k]);
    let s[i] = sum[k](exp(x[i, k] - m[i]));
    y[i, j] = exp(x[i, j] - m[i]) / s[i];
}
export fn map(x: f16[M, N], b: f16[N]) -> (y: f16[M, N]) { y[i, j] = max(x[i, j] + b[j], 0); }
export fn turned(x: bf16[M, N]) -> (y: bf16[N, M]) { y[j, i] = x[i, j]; }
export fn columns(x: bf16[M, N]) -> (y: f32[N]) { y[j] = sum[i](x[i, j]); }
export fn update(x: bf16[M, N], inout z: bf16[M, N]) { z[i, j] = z[i, j] * 0.5 + x[i, j]; }
export rows_known = rows(M = 19, N = 512);
export map_known = map(M = 3, N = 4096);
export turned_known = turned(M = 72, N = 64);
export columns_known = columns(M = 100, N = 64);
export update_known = update(M = 7, N = 1024);

check rows_known();
check map_known();
check turned_known();
check columns_known();
check update_known();
check map(M = 3, N = 4096);
check map(M = 600, N = 512);
check turned(M = 72, N = 64);
check update(M = 7, N = 1024);
