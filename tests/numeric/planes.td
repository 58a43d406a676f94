// Folds over planes that lie apart, with something between them: of lengths of which nothing is said they are one axis,
// along which vectors lie where planes are multiples of them.
export fn planes(x: f16[N, C, P]) -> (s: f32[C], q: f32[C], top: f32[C]) {
    s[c] = sum[n, p](x[n, c, p]);
    q[c] = sum[n, p]((x[n, c, p] - s[c] / (N * P)) ** 2);
    top[c] = max[n, p](abs(x[n, c, p]));
}
check planes(N = 3, C = 5, P = 7);
check planes(N = 3, C = 5, P = 8);
check planes(N = 2, C = 3, P = 64);
check planes(N = 1, C = 1, P = 1);
check planes(N = 7, C = 2, P = 1);
check planes(N = 1, C = 9, P = 33);
check planes(N = 0, C = 4, P = 7);
check planes(N = 4, C = 4, P = 0);
check planes(N = 4, C = 0, P = 8);
check planes(N = 40, C = 3, P = 2000);

export fn normed(x: f32[N, C, H, W], g: f32[C]) -> (y: f32[N, C, H, W]) {
    let mu[c] = mean[n, i, j](x[n, c, i, j]);
    let va[c] = mean[n, i, j]((x[n, c, i, j] - mu[c]) ** 2);
    y[n, c, i, j] = (x[n, c, i, j] - mu[c]) * rsqrt(va[c] + 1e-5) * g[c];
}
check normed(N = 3, C = 5, H = 4, W = 7);
check normed(N = 2, C = 3, H = 8, W = 8);
check normed(N = 5, C = 2, H = 1, W = 3);

// what is excluded, and a factor of its own for each plane, which forbids it
export fn masked(x: bf16[N, C, P], m: bool[N, P]) -> (y: f32[C]) { y[c] = sum[n, p where m[n, p]](x[n, c, p]); }
check masked(N = 3, C = 4, P = 7); // check-all
check masked(N = 3, C = 4, P = 16); // check-all
export fn scaled(x: f32[N, C, P], s: f32[N]) -> (y: f32[C]) { y[c] = sum[n, p](x[n, c, p] * s[n]); }
check scaled(N = 3, C = 4, P = 7); // check-all

// rows of groups that lie side by side, and a product, are none of them
export fn groups(x: f32[N, S, 3*K]) -> (y: f32[N, 3]) { y[n, g in 0..3] = sum[s, k in 0..K](x[n, s, K*g + k]); }
check groups(N = 2, S = 5, K = 4); // check-all
export fn product(a: f32[B, I, K], c: f32[B, J, K]) -> (y: f32[I, J]) { y[i, j] = sum[b, k](a[b, i, k] * c[b, j, k]); }
check product(B = 3, I = 5, J = 4, K = 7); // check-all

// A broadcast's gradient: the elements beside the sums are read once for both.
export fn broadcast(dy: f32[B, S, D], x: f32[B, S, D], s: f32[S]) -> (dx: f32[B, S, D], ds: f32[S]) {
    dx[b, i, d] = dy[b, i, d] * s[i];
    ds[i] = sum[b, d](dy[b, i, d] * x[b, i, d]);
}
check broadcast(B = 2, S = 5, D = 37);
