// Rows that are changed in place by other elements of their own: a block has a row whole, and reads it before it stores.
// Of rows that are too long for that, new values are stored elsewhere and then moved.

export fn turned(inout x: f16[M, N]) { x[i, j] = x[i, N - 1 - j]; }
check turned(M = 5, N = 97);
check turned(M = 3, N = 256);
check turned(M = 2, N = 16387);
check turned(M = 1, N = 1);
check turned(M = 0, N = 9);
check turned(M = 4, N = 0);

// Rotary positions of heads, by halves.
export fn rotated(inout x: bf16[T, H, D], c: f32[T, D], s: f32[T, D]) {
    x[t, h, d] = x[t, h, d] * c[t, d] + (if d < D / 2 then -x[t, h, d + D / 2] else x[t, h, d - D / 2]) * s[t, d];
}
check rotated(T = 7, H = 3, D = 64);
check rotated(T = 2, H = 1, D = 2);
check rotated(T = 3, H = 2, D = 1000);

// The same behind a norm of each head.
export fn normalised(inout x: f32[T, H, D], w: f32[D], c: f32[T, D]) {
    let r[t, h] = rsqrt(mean[d](x[t, h, d] * x[t, h, d]) + 1e-6);
    x[t, h, d] = (x[t, h, d] * c[t, d] - x[t, h, (d + D / 2) % D] * c[t, D - 1 - d]) * r[t, h] * w[d];
}
check normalised(T = 5, H = 3, D = 48);
check normalised(T = 1, H = 2, D = 7);

// Neighbours in groups of four, of a length that is known.
export fn grouped(inout x: f32[M, 50]) { x[i, j] = x[i, j] - x[i, j - j % 4]; }
check grouped(M = 9);
check grouped(M = 1);

// Columns: the axis along which elements are read is not the last one.
export fn columns(inout x: f32[B, K, N]) { x[b, k, n] = max(x[b, k, n], x[b, max(k - 1, 0), n]) + x[b, K - 1 - k, n]; }
check columns(B = 3, K = 17, N = 33);
check columns(B = 1, K = 1, N = 5);

// Bytes, and elements at places that data name.
export fn looked_up(inout x: u8[M, N], at: i32[N]) {
    assume 0 <= at[j] && at[j] < N;
    x[i, j] = u8(x[i, at[j]] + x[i, j]);
}
check looked_up(M = 6, N = 130) with at in 0..130;
check looked_up(M = 2, N = 1) with at in 0..1;

// Not rows: what is read is another block's.
export fn not_rows(inout x: f32[M, N]) { x[i, j] = x[M - 1 - i, N - 1 - j]; }
check not_rows(M = 5, N = 31);

// Several of them, one of which reads what another one changes.
export fn several(inout x: f32[M, N], inout y: f32[M, N]) {
    x[i, j] = x[i, N - 1 - j] + y[i, j];
    y[i, j] = y[i, (j + 1) % N] - x[i, j];
}
check several(M = 4, N = 65);

// Pairs, one piece for each of two.
export fn paired(inout x: bf16[T, H, 2 * D], c: f32[T, D], s: f32[T, D]) {
    x[t, h, 2 * d] = x[t, h, 2 * d] * c[t, d] - x[t, h, 2 * d + 1] * s[t, d];
    x[t, h, 2 * d + 1] = x[t, h, 2 * d + 1] * c[t, d] + x[t, h, 2 * d] * s[t, d];
}
check paired(T = 5, H = 3, D = 33);
check paired(T = 1, H = 2, D = 1);
check paired(T = 2, H = 1, D = 9000);

// Halves, one piece for each, as rotary positions are written most.
export fn halves(inout x: bf16[T, H, 2 * D], c: f32[T, D], s: f32[T, D]) {
    x[t, h, d in D] = x[t, h, d] * c[t, d] - x[t, h, D + d] * s[t, d];
    x[t, h, D + d in D] = x[t, h, D + d] * c[t, d] + x[t, h, d] * s[t, d];
}
check halves(T = 5, H = 3, D = 33);
check halves(T = 2, H = 2, D = 64);
check halves(T = 1, H = 1, D = 1);
check halves(T = 2, H = 1, D = 20000);

// Of a part of each row, and a piece that reads what another one changes.
export fn first_half(inout x: f32[T, 128], c: f32[T, 32]) {
    x[t, d in 32] = x[t, d] * c[t, d] - x[t, 32 + d] * c[t, 31 - d];
    x[t, 32 + d in 32] = x[t, 32 + d] * c[t, d] + x[t, d] * x[t, 127 - d];
}
check first_half(T = 9);
check first_half(T = 1);

// Beside a scan, a search, a window and a product.
export fn scanned(inout x: f32[M, N]) { x[i, j] = sum[k in 0..j + 1](x[i, k]) + x[i, N - 1 - j]; }
check scanned(M = 4, N = 37);
export fn from_best(inout x: f32[M, N], y: f32[M, N]) {
    let a[i] = argmax[k](x[i, k]);
    x[i, j] = x[i, (a[i] + j) % N] + y[i, j];
}
check from_best(M = 4, N = 37);
export fn smoothed(inout x: f32[M, N], w: f32[3]) { x[i, j] = sum[r in 0..3](w[r] * x[i, clamp(j + r - 1, 0, N - 1)]); }
check smoothed(M = 4, N = 37);
export fn mixed(inout x: f32[M, 16], w: f32[16, 16]) { x[i, j] = sum[k](x[i, k] * w[k, j]); }
check mixed(M = 7);

// Two axes of a row, one of a known length; elements of less than a byte, and of eight.
export fn two_axes(inout x: f32[A, B, 4, D]) { x[a, b, c, d] = x[a, b, 3 - c, D - 1 - d]; }
check two_axes(A = 2, B = 3, D = 5);
export fn nibbles(inout x: i4[M, 2 * N]) { x[i, j] = x[i, 2 * N - 1 - j]; }
check nibbles(M = 4, N = 35);
export fn doubles(inout x: f64[M, N]) { x[i, j] = x[i, (j + 1) % N] - x[i, j]; }
check doubles(M = 4, N = 55);
