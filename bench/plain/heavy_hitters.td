// How much attention each key of a shared head has had from all of its queries, beside what it had before.
export fn heavy_hitters(a: bf16[B, G, R, M, N], inout s: f32[B, G, N]) -> (top: f32[B, G]) {
    s[b, g, j] = 0.9 * s[b, g, j] + sum[r, i](a[b, g, r, i, j]);
    top[b, g] = max[j](new(s)[b, g, j]);
}
check heavy_hitters(B = 2, G = 3, R = 2, M = 5, N = 37) with a in 0.0..1.0;
bench heavy_hitters(B = 4, G = 8, R = 4, M = 128, N = 4099) with a in 0.0..1.0;
