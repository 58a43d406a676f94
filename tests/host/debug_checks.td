// What --debug-checks tests (debug_checks.c): each kind of assumption that a program can state of its data.
// clause 3.12
import "index";

export fn rows(w: f32[V, D], ids: i32[N]) -> (y: f32[N, D]) {
    assume 0 <= ids[n] &&
           ids[n] < V;
    y[n, d] = w[ids[n], d];
}

// The second assumption loads with what the first one bounds: where that does not hold, the test of the second must stay
// in range all the same.
export fn chain(a: i32[A], b: i32[B], x: f32[M]) -> (y: f32[B]) {
    assume 0 <= b[i] && b[i] < A;
    assume 0 <= a[b[i]] && a[b[i]] < M;
    y[i] = x[a[b[i]]];
}

// Of a let, of an element of rank 0, of scalars beside data, of floats; with ranges that are data, and a callee's.
export fn kinds(x: f32[N], len: i32[B], k: i32[], ids: i64[P], inout p: f32[N], top: f32) -> (y: f32[B], z: f32[P]) {
    assume 0 <= len[b] && len[b] <= N;
    let s[b] = sum[j in 0..len[b]](x[j]);
    assume s[b] < top;
    assume k[] > 0;
    assume p[n] >= 0.0;
    y[b] = s[b] / f32(k[]);
    z = gather(x, ids);
    p[n] = p[n] + 1;
}

// Of neighbours: nothing is said of the last offset's next one, which is not there.
export fn lengths(off: i32[B + 1]) -> (y: f32[B]) {
    assume off[b] <= off[b + 1];
    y[b] = f32(off[b + 1] - off[b]);
}

check rows(V = 7, D = 3, N = 10);
check lengths(B = 9);
check chain(A = 5, B = 6, M = 9);
