// Programs as users write them, of which some were once predicted at hundreds of times a copy: run.sh says how long each
// may take. The gradients of a tanh with weights: elements, a sum of all of them, and sums of columns.
export fn tanh_gradients(dy: bf16[M, N], x: bf16[M, N], a: f32[], w: f32[N]) -> (dx: bf16[M, N], da: f32[], dw: f32[N]) {
    let t[i, j] = tanh(a[] * x[i, j]);
    let g[i, j] = dy[i, j] * w[j] * (1 - t[i, j] ** 2);
    dx[i, j] = a[] * g[i, j];
    da[] = sum[i, j](g[i, j] * x[i, j]);
    dw[j] = sum[i](dy[i, j] * t[i, j]);
}
check tanh_gradients(M = 9, N = 37);
check tanh_gradients(M = 0, N = 3);

// Of each class the pixels that belong to it, beside all of them: no sort says more than the pass over all does.
export fn dice(x: f16[N, C, H, W], t: u8[N, H, W]) -> (dice: f32[C]) {
    let m[n, i, j] = max[c](x[n, c, i, j]);
    let z[n, i, j] = sum[c](exp(x[n, c, i, j] - m[n, i, j]));
    let p[n, c, i, j] = exp(x[n, c, i, j] - m[n, i, j]) / z[n, i, j];
    let both[c in C] = sum[n, i, j where i64(t[n, i, j]) == c](p[n, c, i, j]);
    let size[c] = sum[n, i, j](p[n, c, i, j]);
    let count[c in C] = sum[n, i, j where i64(t[n, i, j]) == c](1.0);
    dice[c] = (2 * both[c] + 1) / (size[c] + count[c] + 1);
}
check dice(N = 2, C = 5, H = 7, W = 9) with t in 0..C;
check dice(N = 1, C = 1, H = 1, W = 1) with t in 0..C;

// A step of a solver and how far it went: shares of the maximum are of whole rows, and not of a column each.
export fn sweep(u: f32[D, H, W], f: f32[D, H, W]) -> (y: f32[D, H, W], change: f32[]) {
    y[k, i, j] = if i == 0 || i == H - 1 then u[k, i, j] else u[k, i - 1, j] + u[k, i + 1, j] - f[k, i, j];
    change[] = max[k, i, j](abs(y[k, i, j] - u[k, i, j]));
}
check sweep(D = 5, H = 7, W = 9);

// Planes that are folded and stored are rows, whatever their own rows are.
export fn planes_normed(x: bf16[N, C, H, W], g: f32[C]) -> (y: bf16[N, C, H, W]) {
    let mu[n, c] = mean[i, j](x[n, c, i, j]);
    let va[n, c] = mean[i, j]((x[n, c, i, j] - mu[n, c]) ** 2);
    y[n, c, i, j] = (x[n, c, i, j] - mu[n, c]) * rsqrt(va[n, c] + 1e-5) * g[c];
}
check planes_normed(N = 2, C = 3, H = 7, W = 9);
check planes_normed(N = 2, C = 3, H = 4, W = 16);
check planes_normed(N = 1, C = 2, H = 0, W = 3);
check planes_normed(N = 3, C = 1, H = 1, W = 1);

// Sums of differences beside their gradient: of channels and rows, of which nothing is said, rows are divided.
export fn variation(x: f32[N, C, H, W]) -> (loss: f32[N], g: f32[N, C, H, W]) {
    loss[n] = sum[c, i, j where i > 0](abs(x[n, c, i, j] - x[n, c, i - 1, j]));
    g[n, c, i, j] = (if i > 0 then sign(x[n, c, i, j] - x[n, c, i - 1, j]) else 0)
                  + (if i < H - 1 then sign(x[n, c, i, j] - x[n, c, i + 1, j]) else 0);
}
check variation(N = 3, C = 2, H = 7, W = 9);
check variation(N = 1, C = 1, H = 1, W = 1);
check variation(N = 2, C = 0, H = 3, W = 4);

// Rows with powers that are the same for all of a batch: computed once for several rows of a thread.
export fn decayed(s: f16[B, H, L, L], decay: f32[H]) -> (y: f16[B, H, L, L]) {
    let d[b, h, i, j] = if j <= i then s[b, h, i, j] * decay[h] ** (i - j) else 0;
    let z[b, h, i] = max(abs(sum[j](d[b, h, i, j])), 1);
    y[b, h, i, j] = d[b, h, i, j] / z[b, h, i];
}
check decayed(B = 3, H = 2, L = 37) with decay in 0.9..1.0;
check decayed(B = 1, H = 1, L = 1) with decay in 0.9..1.0;

// Two results of each byte, which lie between each other: a thread has both.
export fn four_bits(q: u8[128*G, N], s: f16[G, 2*N], z: u8[G, 2*N]) -> (w: f16[128*G, 2*N]) {
    w[k, 2*n] = f32(i32(q[k, n] & 15) - i32(z[k / 128, 2*n])) * s[k / 128, 2*n];
    w[k, 2*n + 1] = f32(i32(q[k, n] >> 4) - i32(z[k / 128, 2*n + 1])) * s[k / 128, 2*n + 1];
}
check four_bits(G = 2, N = 13) with q in 0..256;

// A scan whose registers have room.
export fn walked(z: f32[T, P]) -> (y: f32[T, P]) { y[t, p] = exp(sum[k where k <= t](z[k, p])); }
check walked(T = 37, P = 101);

// Comparisons and sums of indices: no branch around any, and what is stored is rounded once.
export fn masked(doc: i32[B, S], prefix: i32[B], window: int) -> (y: bf16[B, S, S]) {
    y[b, i, j] = if doc[b, i] == doc[b, j] && (j < prefix[b] || j <= i && i - j < window) then 0 else -inf;
}
check masked(B = 2, S = 37, window = 9) with doc in 0..3, prefix in 0..10;

// The sum of exponentials over the second and fourth of five axes, of whose lengths nothing is said.
export fn lse_of_two(x: f16[A, B, C, D, E]) -> (y: f32[A, C, E]) {
    let m[a, c, e] = max[b, d](x[a, b, c, d, e]);
    y[a, c, e] = m[a, c, e] + log(sum[b, d](exp(x[a, b, c, d, e] - m[a, c, e])));
}
check lse_of_two(A = 3, B = 5, C = 7, D = 9, E = 11);
check lse_of_two(A = 1, B = 1, C = 2, D = 1, E = 1);

// Ranges that are data of more edges than there are nodes.
export fn largest_neighbour(h: f16[V, D], row: i32[V + 1], col: i32[E]) -> (y: f16[V, D]) {
    assume 0 <= col[e] && col[e] < V;
    assume 0 <= row[v] && row[v] <= E;
    assume row[v] <= row[v + 1];
    y[v, d] = if row[v + 1] > row[v] then max[e in row[v]..row[v + 1]](h[col[e], d]) else h[v, d];
}
check largest_neighbour(V = 37, D = 13, E = 203);
check largest_neighbour(V = 1, D = 1, E = 1);

// Updates at places of their own plane: ranges that begin there.
export fn pooled_back(dy: f16[N, C, P, Q], at: i64[N, C, P, Q]) -> (dx: f16[N, C, 4*P*Q]) {
    assume 0 <= at[n, c, p, q] && at[n, c, p, q] < 4*P*Q;
    dx[n, c, at[n, c, p, q]] += dy[n, c, p, q];
}
check pooled_back(N = 2, C = 3, P = 5, Q = 7);
check pooled_back(N = 1, C = 1, P = 1, Q = 1);

// Lines of pictures, each moved by a flow of its own.
export fn warped(x: f16[N, C, H, W], flow: f32[N, H, W]) -> (y: f16[N, C, H, W]) {
    let at[n, i, j] = clamp(i32(j + flow[n, i, j]), 0, W - 1);
    y[n, c, i, j] = x[n, c, i, at[n, i, j]];
}
check warped(N = 2, C = 3, H = 5, W = 37) with flow ~ 3;
check warped(N = 1, C = 1, H = 1, W = 1) with flow ~ 3;

// How many earlier tokens have each kind.
export fn earlier(ids: i32[T]) -> (c: i32[T, E]) {
    c[t, e in E] = sum[k where k < t](i32(ids[k] == e));
}
check earlier(T = 301, E = 7);
check earlier(T = 1, E = 1);

// A long window over gated values, each of which 15 results read.
export fn gated_taps(a: f16[N, L, C], b: f16[N, L, C], w: f16[15, C]) -> (y: f16[N, L, C]) {
    let g: f16[n in N, l in L, c in C] = a[n, l, c] * sigmoid(b[n, l, c]);
    y[n, l, c] = sum[r](pad(g[n, l + r - 7, c], 0) * w[r, c]);
}
check gated_taps(N = 2, L = 37, C = 5);
check gated_taps(N = 1, L = 1, C = 1);

// The same of few values, that are quicker to compute twice.
export fn gated_pairs(a: f16[N, L, C], b: f16[N, L, C]) -> (y: f16[N, L, C]) {
    let g: f16[n in N, l in L, c in C] = a[n, l, c] * b[n, l, c];
    y[n, l, c] = sum[r in 0..2](pad(g[n, l + r - 1, c], 0));
}
check gated_pairs(N = 2, L = 37, C = 5);
check gated_pairs(N = 1, L = 1, C = 1);

// Sums of products of few columns, over rows of which nothing is said.
export fn products_of_six(x: f32[M, 6]) -> (c: f32[6, 6]) { c[j, k] = sum[i](x[i, j] * x[i, k]); }
check products_of_six(M = 1);
check products_of_six(M = 1031);

// The rows of a square lie anywhere.
export fn farthest(d: f32[N, N], label: i32[N]) -> (far: f32[N], near: f32[N]) {
    far[i] = max[j where label[i] == label[j] && i != j](d[i, j]);
    near[i] = min[j where label[i] != label[j]](d[i, j]);
}
check farthest(N = 1) with label in 0..3;
check farthest(N = 67) with label in 0..3;
