// Subscripts that are data: proofs look through integer lets, clamps, remainders, bits, argmax and narrow types.
dim B in 1..=1000;
require M >= 1, "a column";
export fn hist(x: f32[N]) -> (h: i32[B]) {
    h[clamp(i64(floor(x[n])), 0, B - 1)] += 1;
}
export fn hist2(x: f32[N]) -> (h: i32[B]) {
    let b[n] = clamp(i64(floor(x[n])), 0, B - 1);
    h[b[n]] += 1;
}
export fn hist3(x: f32[N]) -> (h: i32[B]) {
    let b[n] = clamp(i32(floor(x[n])), 0, i32(B) - 1);
    h[b[n]] += 1;
}
export fn hist4(x: f32[N]) -> (h: i32[B]) {
    h[clamp(i32(floor(x[n])), 0, i32(B)-1)] += 1;
}
export fn hist5(x: f32[N]) -> (h: i32[B]) {
    h[clamp(i32(floor(x[n])), 0, B-1)] += 1;
}
export fn hist6(x: f32[N]) -> (h: i32[B]) {
    h[i64(x[n] * 10.0) % B] += 1;
}
export fn hist7(x: i32[N]) -> (h: i32[B]) {
    h[x[n] % B] += 1;
}
export fn hist8(x: i32[N]) -> (h: i32[B]) {
    let b[n] = x[n] % B;
    h[b[n]] += 1;
}
export fn pick4(x: f32[N, M]) -> (y: f32[N]) {
    let i[n] = argmax[j](x[n, j]);
    y[n] = if i[n] >= 0 then x[n, i[n]] else 0.0;
}
export fn narrow(x: i32[N], t: f32[300]) -> (y: f32[N]) {
    let i: u8[n] = u8(x[n]);
    y[n] = t[i[n]];
}
export fn pickmax(x: f32[N, M]) -> (y: f32[N]) {
    let i[n] = argmax[j](x[n, j]);
    y[n] = if i[n] >= 0 then x[n, i[n]] else 0.0;
}
export fn pick2(x: f32[N, M]) -> (y: f32[N]) {
    y[n] = x[n, argmax[j](x[n, j])];
}
export fn pick3(x: f32[N, M], w: f32[M]) -> (y: f32[N]) {
    let i: u8[n] = u8(argmin[j where w[j] > 0.0](x[n, j]));
    y[n] = pad(x[n, i[n]], -1.0);
}
export fn narrow3(x: i32[N], t: f32[256]) -> (y: f32[N]) {
    let i: u8[n] = u8(x[n]);
    y[n] = t[i[n]];
}
export fn narrow2(x: i32[N], t: f32[256]) -> (y: f32[N]) {
    y[n] = t[x[n] & 255] + t[(x[n] >> 3) & 127];
}
export fn bits(x: u32[N], t: f32[16]) -> (y: f32[N]) {
    y[n] = t[x[n] >> 28] + t[x[n] & 15];
}

check hist(N=33,B=7);
check hist2(N=33,B=7);
check hist3(N=33,B=7);
check hist4(N=33,B=7);
check hist5(N=33,B=7);
check hist6(N=33,B=7);
check hist7(N=33,B=7);
check hist8(N=33,B=7);
check pick4(N=5,M=7);
check narrow(N=10);
check pickmax(N=5,M=7);
check pick2(N=5,M=1);
check pick3(N=5,M=9);
check narrow3(N=10);
check narrow2(N=10);
check bits(N=10);
