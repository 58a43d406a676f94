// More than 2^31 elements (docs/language.md 5.9): a dimension, a subscript, a flat offset, the ends of loops, of which a test reaches few.
export fn gathered(x: u8[N], ids: i64[M]) -> (y: u8[M]) {
    assume 0 <= ids[i] && ids[i] < N;
    y[i] = u8(x[ids[i]] + 1);
}

// The last columns of a wide matrix: offsets beyond 32 bits while every dimension fits.
export fn corner(x: u8[R, C]) -> (y: u8[R, 4], s: i32[R]) {
    require C >= 100;
    y[r, j] = x[r, C - 4 + j];
    s[r] = sum[c in C - 100..C](x[r, c]);
}

// An axis whose indices are beyond 32 bits.
export fn tail(x: u8[N], n: int) -> (s: i64[], a: i64[]) {
    require 0 <= n && n <= N;
    s[] = sum[k in N - n..N](i64(x[k]) * i64(k - (N - n)));
    a[] = argmax[k in N - n..N](x[k]);
}

// Part of a large tensor is written.
export fn patch(inout p: i8[N], v: i8[M], at: int) {
    require 0 <= at && at + M <= N;
    p[at + i] = v[i];
}

export fn patch4(inout p: u4[N], v: u4[M], at: int) {
    require 0 <= at && at + M <= N;
    p[at + i] = v[i];
}

// Whole tensors; for machines with as much memory.
export fn flip(x: u8[N]) -> (y: u8[N]) {
    y[i] = u8(255 - x[N - 1 - i]);
}
export fn halves(x: f16[N]) -> (y: f16[N], s: f32[]) {
    y[i] = x[i] * 2.0;
    s[] = sum[i](x[i]);
}
