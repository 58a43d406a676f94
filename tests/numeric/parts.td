// Kernels that stand beside each other become parts of one launch: pieces of one tensor, equal equations of other
// lengths, which have one text, a fold beside maps, and what must not be one launch: readers of what is written.
dim A hint 4000; dim B hint 128; dim C hint 300; dim D hint 768; dim K hint 64; dim S hint 196; dim V hint 7;

// Pieces of three sources, each by blocks of its own.
export fn pieces(a: f32[A], b: f16[B, 3], c: f32[C, K]) -> (y: f32[A + B + C]) {
    y[i in A] = a[i];
    y[A + i in B] = 2.0 * f32(b[i, 1]);
    y[A + B + i in C] = sum[k](c[i, k]);
}
check pieces(A = 300, B = 257, C = 33, K = 129);
check pieces(A = 0, B = 5, C = 1, K = 0);
check pieces(A = 1, B = 0, C = 0, K = 3);
check pieces(A = 0, B = 0, C = 0, K = 0);

// A row before the rows, as a token before those of an image.
export fn row_before(x: bf16[B, S, D], t: bf16[D]) -> (y: bf16[B, S + 1, D]) {
    y[b, 0, d] = t[d];
    y[b, 1 + s in S, d] = x[b, s, d];
}
check row_before(B = 3, S = 5, D = 24);
check row_before(B = 2, S = 1, D = 1021);
check row_before(B = 1, S = 0, D = 1);
check row_before(B = 0, S = 2, D = 8);

// One text for all, of other lengths.
fn step(inout p: f32[N], inout m: f32[N], g: f32[N], rate: f32) {
    m[i] = 0.9 * m[i] + 0.1 * g[i];
    p[i] = p[i] - rate * m[i];
}
export fn steps(inout p0: f32[L], inout m0: f32[L], g0: f32[L], inout p1: f32[M], inout m1: f32[M], g1: f32[M],
                inout p2: f32[N], inout m2: f32[N], g2: f32[N], inout p3: f32[N], inout m3: f32[N], g3: f32[N],
                rate: f32, other: f32) {
    step(p0, m0, g0, rate);
    step(p1, m1, g1, other);
    step(p2, m2, g2, rate);
    step(p3, m3, g3, rate);
}
check steps(L = 1000, M = 3, N = 513, rate = 0.1, other = 0.2);
check steps(L = 1, M = 0, N = 2048, rate = 0.1, other = 0.2);
check steps(L = 0, M = 4097, N = 0, rate = 0.1, other = 0.2);
check steps(L = 0, M = 0, N = 0, rate = 0.1, other = 0.2);

// Quotients by lengths, which the rows of arguments have too.
export fn turned(a: f32[M, N], b: f32[K, N], c: f32[N, M]) -> (x: f32[N, M], y: f32[N, K], z: f32[M, N]) {
    x[j, i] = a[i, j];
    y[j, i] = b[i, j];
    z[j, i] = c[i, j];
}
check turned(M = 33, N = 65, K = 7);
check turned(M = 1, N = 1, K = 0);
check turned(M = 0, N = 3, K = 200);

// A fold of rows, one of columns and a map, of other tensors.
export fn folds(a: f32[M, N], b: f32[K, N], c: f16[L]) -> (rows: f32[M], columns: f32[N], map: f16[L]) {
    rows[i] = sum[j](a[i, j] * a[i, j]);
    columns[j] = max[i](b[i, j]);
    map[i] = exp(c[i]);
}
check folds(M = 65, N = 200, K = 31, L = 1000);
check folds(M = 1, N = 3, K = 1, L = 0);
check folds(M = 0, N = 0, K = 2, L = 1);

// What was there is read before it is overwritten, and by others after that.
export fn in_order(inout p: f32[N], inout q: f32[N]) -> (before: f32[N], after: f32[N]) {
    before[i] = p[N - 1 - i];
    p[i] = 2.0 * q[i];
    after[i] = p[N - 1 - i] + 1.0;
    q[i] = q[N - 1 - i];
}
check in_order(N = 777);
check in_order(N = 1);
check in_order(N = 0);

// Temporaries of two folds, each with a reader.
export fn scaled(a: f32[M, N], b: f32[K, N]) -> (x: f32[M, N], y: f32[K, N]) {
    let top = max[i, j](abs(a[i, j]));
    let most = max[i, j](abs(b[i, j]));
    x[i, j] = a[i, j] / top;
    y[i, j] = b[i, j] / most;
}
check scaled(M = 40, N = 300, K = 3);
check scaled(M = 1, N = 1, K = 0);

// Atomics beside others.
option atomics = fast;
export fn counted(ids: i32[N], other: i32[M], x: f32[N]) -> (a: f32[V], b: i32[V], z: f32[N]) {
    a[ids[n] % 7] += x[n] where 0 <= ids[n] && ids[n] % 7 < V;
    b[other[m] % 7] += 1 where 0 <= other[m] && other[m] % 7 < V;
    z[n] = sqrt(abs(x[n]));
}
check counted(N = 500, M = 77, V = 7) with ids in 0..100, other in 0..100;
check counted(N = 1, M = 0, V = 7) with ids in 0..100, other in 0..100;
check counted(N = 0, M = 1, V = 0) with ids in 0..100, other in 0..100;
