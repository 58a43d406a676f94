// Tensors in interleaved pieces, whose ranges follow from the left-hand side: no dimension needs to be even.

export fn rope(x: bf16[B, S, D], pos: i32[B, S], theta: f32 = 10000.0) -> (y: bf16[B, S, D]) {
    require D % 2 == 0;
    let a[b, t, i in D / 2] = f32(pos[b, t]) * exp2(-(2.0 * i / D) * log2(theta));
    y[b, t, 2*i] = x[b, t, 2*i] * cos(a[b, t, i]) - x[b, t, 2*i + 1] * sin(a[b, t, i]);
    y[b, t, 2*i + 1] = x[b, t, 2*i] * sin(a[b, t, i]) + x[b, t, 2*i + 1] * cos(a[b, t, i]);
}
check rope(B = 2, S = 3, D = 10);
check rope(B = 2, S = 3, D = 0);

export fn pairs(x: f32[D]) -> (y: f32[D]) {
    y[2*i] = x[2*i] * i;
    y[2*i + 1] = -x[2*i + 1];
}
check pairs(D = 7);
check pairs(D = 1);
check pairs(D = 0);

export fn channels(x: f32[M, D]) -> (y: f32[M, D]) {
    y[m, 3*i] = x[m, 3*i];
    y[m, 3*i + 1] = 2 * x[m, 3*i + 1];
    y[m, 3*i + 2] = 0.0;
}
check channels(M = 3, D = 8);
check channels(M = 3, D = 6);
check channels(M = 3, D = 1);

export fn prefix(x: f32[N]) -> (y: f32[N + 1]) {
    y[0] = 0.0;
    y[i + 1] = sum[k where k <= i](x[k]);
}
check prefix(N = 37);
check prefix(N = 0);

export fn tail(inout x: f32[N]) {
    x[2*i + 5] += 1.0;
}
check tail(N = 9);
check tail(N = 2);

export fn turned(x: bf16[M, 2*D], c: f32[D]) -> (y: bf16[M, 2*D]) {
    let a[m, d in D] = x[m, d];
    let b[m, d in D] = x[m, D + d];
    y[m, d in D] = a[m, d] * c[d] - b[m, d];
    y[m, D + d] = b[m, d] * c[d] + a[m, d];
}
check turned(M = 3, D = 37);
check turned(M = 5, D = 8);
check turned(M = 1, D = 1);
check turned(M = 4, D = 0);

export fn maxima(x: f32[M, N]) -> (y: f32[M, 2*N]) {
    let m[i] = max[j](x[i, j]);
    y[i, 2*j] = x[i, j] - m[i];
    y[i, 2*j + 1] = exp(x[i, j] - m[i]);
}
check maxima(M = 7, N = 67);
check maxima(M = 2, N = 1);
check maxima(M = 3, N = 0);
