// Statistics over several indices that are walked as one, and over ones that are not.
export fn whole(x: f32[A, B, C, D]) -> (m: f32[], v: f32[], t: f32[]) {
    m[] = mean[a, b, c, d](x[a, b, c, d]);
    v[] = mean[a, b, c, d]((x[a, b, c, d] - m[]) * (x[a, b, c, d] - m[]));
    t[] = max[a, b, c, d](x[a, b, c, d]);
}
check whole(A = 2, B = 3, C = 5, D = 7);
check whole(A = 1, B = 1, C = 1, D = 1);
check whole(A = 3, B = 1, C = 33, D = 64);

/// Planes, their inner part, and one index in the middle: the last two keep their indices.
export fn planes(x: f16[N, C, H, W]) -> (p: f32[N, C], q: f32[N, C], r: f32[N, W]) {
    p[n, c] = mean[h, w](x[n, c, h, w]);
    q[n, c] = sum[h, w where h > 0 && w > 0](x[n, c, h, w] * x[n, c, h - 1, w - 1]);
    r[n, w] = max[c, h](x[n, c, h, w]);
}
check planes(N = 2, C = 3, H = 5, W = 7);
check planes(N = 1, C = 4, H = 1, W = 1);
check planes(N = 3, C = 2, H = 14, W = 14);
check planes(N = 2, C = 2, H = 0, W = 3);

/// Two tensors, one of which is turned, so that nothing is walked as one; and one that has a single index of the two.
export fn turned(x: f32[A, B], y: f32[B, A], z: f32[B]) -> (s: f32[], t: f32[], u: f32[]) {
    s[] = sum[a, b](x[a, b] * y[b, a]);
    t[] = sum[a, b](x[a, b] * z[b]);
    u[] = sum[a, b](x[a, b] * a);
}
check turned(A = 5, B = 9);
check turned(A = 31, B = 64);
check turned(A = 0, B = 2);

/// A gradient of a bias, in place.
export fn bias(inout g: f32[N], dy: bf16[B, S, N]) { g[n] += sum[b, s](dy[b, s, n]); }
check bias(B = 3, S = 17, N = 21);
check bias(B = 2, S = 8, N = 64);
check bias(B = 1, S = 1, N = 1);
