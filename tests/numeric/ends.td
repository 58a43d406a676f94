// Lengths at and around the ends of registers and tiles: what is compiled for all lengths has instances and ways without tests.
import "nn";
import "index";

/// Rows in registers: the last of them is reached, filled, or left empty.
export fn filled(x: bf16[M, N]) -> (y: bf16[M, N]) { y = softmax(x); }
check filled(M = 2, N = 63);
check filled(M = 2, N = 64);
check filled(M = 3, N = 895);
check filled(M = 3, N = 896);
check filled(M = 3, N = 897);
check filled(M = 3, N = 1024);
check filled(M = 2, N = 1919);
check filled(M = 2, N = 1920);
check filled(M = 2, N = 1921);
check filled(M = 2, N = 2047);
check filled(M = 2, N = 2048);
check filled(M = 1, N = 2049);

/// Rows that begin anywhere: the first and the last register have ends.
export fn peeled(x: f16[M, N]) -> (y: f32[M]) {
    y[i] = sum[j](exp(0.25 * x[i, j]));
}
check peeled(M = 5, N = 1021);
check peeled(M = 3, N = 4089);
check peeled(M = 3, N = 8191);
check peeled(M = 2, N = 30011);
check peeled(M = 2, N = 53240);

/// Tiles of maps, inside and at ends; what neighbours share.
export fn tiles(x: f16[N, C, H, W]) -> (y: f16[N, C, 2 * H, 2 * W]) { y = upsample_nearest2d(x); }
check tiles(N = 1, C = 16, H = 2, W = 64);
check tiles(N = 1, C = 17, H = 3, W = 65);
check tiles(N = 3, C = 5, H = 1, W = 33);
check tiles(N = 2, C = 2, H = 5, W = 0);

/// A row of which each column has a value, and a column of which each row has one.
export fn beside(x: f32[M, N], b: f32[N], c: f32[M]) -> (y: f32[M, N]) { y[i, j] = gelu_tanh(x[i, j] + b[j]) * c[i]; }
check beside(M = 3, N = 4096);
check beside(M = 4, N = 1023);
check beside(M = 257, N = 8);
check beside(M = 1, N = 1);
check beside(M = 0, N = 5);

/// Quotients by lengths, of indices and in them.
export fn turned(x: i32[M, N]) -> (y: i32[M, N], z: i64[M, N]) {
    require N >= 1;
    y[i, j] = x[i, (j + i) % N];
    z[i, j] = (i * N + j) / (N + 1) + i % N;
}
check turned(M = 7, N = 1);
check turned(M = 5, N = 37);
check turned(M = 3, N = 1024);
check turned(M = 0, N = 3);

/// Statistics of groups: loops of which most iterations meet no end.
export fn grouped(x: f16[N, S, 4 * K]) -> (y: f32[N, 4]) {
    y[n, g] = sum[s, k in 0..K](x[n, s, g * K + k] * x[n, s, g * K + k]);
}
check grouped(N = 2, S = 64, K = 10);
check grouped(N = 1, S = 1027, K = 3);
check grouped(N = 3, S = 5, K = 64);
check grouped(N = 1, S = 0, K = 2);
