// Inner axes that are shorter than what a warp may load at a time: threads go on along the next ones. The checks are of
// lengths on both sides of what factors hold, the benches of what such programs are run with.

// statistics over places and the channels of a group, channels last
export fn group_moments(x: f16[N, H, W, 32*K]) -> (mu: f32[N, 32], va: f32[N, 32]) {
    let s[n, g in 32] = mean[k in 0..K, h, w](x[n, h, w, g*K + k]);
    mu[n, g] = s[n, g];
    va[n, g] = mean[k in 0..K, h, w]((x[n, h, w, g*K + k] - s[n, g]) ** 2);
}
check group_moments(N = 2, H = 3, W = 5, K = 10);
check group_moments(N = 1, H = 9, W = 40, K = 3);
check group_moments(N = 1, H = 2, W = 3, K = 17);
bench group_moments(N = 2, H = 128, W = 128, K = 8);
bench group_moments(N = 16, H = 32, W = 32, K = 20);

// statistics of each sample's channels, channels last
export fn instance_moments(x: f16[N, H, W, C]) -> (mu: f32[N, C], va: f32[N, C]) {
    let s[n, c] = mean[h, w](x[n, h, w, c]);
    mu[n, c] = s[n, c];
    va[n, c] = mean[h, w]((x[n, h, w, c] - s[n, c]) ** 2);
}
check instance_moments(N = 2, H = 5, W = 7, C = 3);
check instance_moments(N = 2, H = 20, W = 3, C = 48);
bench instance_moments(N = 64, H = 64, W = 64, C = 48);

// the mean of an image's places
export fn pooled(x: bf16[N, H, W, C]) -> (y: bf16[N, C]) { y[n, c] = mean[h, w](x[n, h, w, c]); }
check pooled(N = 3, H = 7, W = 7, C = 5);
check pooled(N = 2, H = 14, W = 3, C = 96);
bench pooled(N = 256, H = 56, W = 56, C = 96);
bench pooled(N = 256, H = 224, W = 224, C = 3);

// softmax over an axis in the middle, and over a short last one
export fn middle(x: f32[B, M, D]) -> (y: f32[B, M, D]) {
    let t[b, d] = max[m](x[b, m, d]);
    let e[b, m, d] = exp(x[b, m, d] - t[b, d]);
    y[b, m, d] = e[b, m, d] / sum[m](e[b, m, d]);
}
check middle(B = 3, M = 5, D = 4);
check middle(B = 2, M = 100, D = 12);
bench middle(B = 8192, M = 64, D = 20);
bench middle(B = 65536, M = 7, D = 24);
export fn last(x: f16[B, S, H, D]) -> (y: f16[B, S, H, D]) {
    let t[b, s, h] = max[d](x[b, s, h, d]);
    let e[b, s, h, d] = exp(x[b, s, h, d] - t[b, s, h]);
    y[b, s, h, d] = e[b, s, h, d] / sum[d](e[b, s, h, d]);
}
check last(B = 2, S = 3, H = 5, D = 6);
check last(B = 1, S = 7, H = 3, D = 40);
bench last(B = 64, S = 1024, H = 12, D = 24);
bench last(B = 1024, S = 1024, H = 3, D = 10);

// sums of the columns of a narrow matrix, of one and of many
export fn narrow(x: f32[M, N]) -> (y: f32[N]) { y[j] = sum[i](x[i, j]); }
check narrow(M = 100, N = 3);
check narrow(M = 3000, N = 20);
bench narrow(M = 8388608, N = 6);
export fn narrow_many(x: f32[B, M, N]) -> (y: f32[B, N]) { y[b, j] = max[i](abs(x[b, i, j])); }
check narrow_many(B = 5, M = 100, N = 3);
check narrow_many(B = 2, M = 700, N = 20);
bench narrow_many(B = 4096, M = 2000, N = 6);

// norms of short heads
export fn heads(x: bf16[B, S, H, D], w: f32[D]) -> (y: bf16[B, S, H, D]) {
    let q[b, s, h] = mean[d](x[b, s, h, d] * x[b, s, h, d]);
    y[b, s, h, d] = x[b, s, h, d] * rsqrt(q[b, s, h] + 1e-6) * w[d];
}
check heads(B = 2, S = 3, H = 4, D = 8);
check heads(B = 1, S = 5, H = 3, D = 33);
bench heads(B = 64, S = 2048, H = 10, D = 32);

// the largest side of boxes
export fn boxes(x: f32[N, 4]) -> (y: f32[N]) { y[i] = max(x[i, 2] - x[i, 0], x[i, 3] - x[i, 1]); }
check boxes(N = 1);
check boxes(N = 1000);
bench boxes(N = 20000000);
// the nearest of a few centres, by three coordinates
export fn nearest(p: f32[N, 3], c: f32[K, 3]) -> (y: f32[N]) {
    y[i] = min[k](sum[d](( p[i, d] - c[k, d]) * (p[i, d] - c[k, d])));
}
check nearest(N = 40, K = 7);
check nearest(N = 300, K = 70);
bench nearest(N = 4000000, K = 16);

// Of each row as many elements as a length says that is data.
export fn padded(x: f32[M, N], n: i32[M]) -> (y: f32[M]) {
    assume 0 <= n[i] && n[i] <= N;
    y[i] = sum[j in 0..n[i]](x[i, j] * x[i, j]);
}
check padded(M = 5, N = 37) with n in 0..38;

export fn padded_softmax(x: bf16[B, H, M, N], n: i32[B]) -> (y: bf16[B, H, M, N]) {
    assume 0 <= n[b] && n[b] <= N;
    let m[b, h, i] = max[j in 0..n[b]](x[b, h, i, j]);
    let s[b, h, i] = sum[j in 0..n[b]](exp(x[b, h, i, j] - m[b, h, i]));
    y[b, h, i, j] = if j < n[b] then exp(x[b, h, i, j] - m[b, h, i]) / s[b, h, i] else 0;
}
check padded_softmax(B = 2, H = 2, M = 3, N = 37) with n in 0..38;

// Ranges that begin where numbers of 32 bits say.
export fn suffixes(x: bool[M, N], n: i32[M]) -> (y: bool[M]) {
    assume 0 <= n[i] && n[i] <= N;
    y[i] = all[j in n[i]..N](x[i, j]);
}
check suffixes(M = 5, N = 37) with n in 0..38;
