// Updates for some sizes, and the order of keys for the others: each side of what is asked of sizes, and both beside what
// is the same on both.
option atomics = fast;

export fn touched(inout w: f32[V, D], e: f32[N, D], ids: i64[N]) {
    assume 0 <= ids[n] && ids[n] < V;
    w[ids[n], d] += e[n, d];
}
check touched(V = 37, N = 101, D = 3);
check touched(V = 3, N = 20011, D = 2);
check touched(V = 1, N = 0, D = 2);

export fn added(t: f32[V, D], e: bf16[N, D], ids: i32[N]) -> (g: f32[V, D]) {
    assume 0 <= ids[n] && ids[n] < V;
    g[i, d] = t[i, d] + sum[n where ids[n] == i](e[n, d]);
}
check added(V = 37, N = 101, D = 3);
check added(V = 3, N = 20011, D = 2); // check-all
check added(V = 5, N = 0, D = 1);

// Two sets of keys, one of which a fold over the other names; a mean needs a count, too.
export fn twice(x: f32[N, D], a: i32[N], b: i32[V]) -> (y: f32[S, D], m: f32[V, D], k: i32[S]) {
    assume 0 <= a[n] && a[n] < V;
    assume 0 <= b[v] && b[v] < S;
    let c[v] = sum[t where a[t] == v](1);
    let s[v, d] = sum[t where a[t] == v](x[t, d]);
    m[v, d] = s[v, d] / f32(max(c[v], 1));
    y[i, d] = sum[v where b[v] == i](s[v, d]);
    k[i] = max[v where b[v] == i](i32(c[v]));
}
check twice(V = 37, N = 101, S = 5, D = 3);
check twice(V = 3, N = 20011, S = 2, D = 2);
check twice(V = 301, N = 11, S = 1, D = 1); // check-all
check twice(V = 2, N = 0, S = 3, D = 1);

// The same inout by two statements, and what others read of it before.
export fn both(inout w: f32[V], e: f32[N], p: i64[N], q: i64[N]) -> (old: f32[V]) {
    assume 0 <= p[n] && p[n] < V;
    assume 0 <= q[n] && q[n] < V;
    old[i] = w[i] * 2;
    w[p[n]] += e[n];
    w[q[n]] += e[n] * 3;
}
check both(V = 37, N = 101);
check both(V = 2, N = 20011); // check-all
check both(V = 1, N = 1);

// Where an element goes is computed, by a fold and by a map: both in updates and in the order of keys.
export fn packed(mask: bool[B, S], x: f32[B, S]) -> (y: i64[P], z: f32[P]) {
    let l[b in B] = sum[s](i32(mask[b, s]));
    let first[b in B] = sum[c where c < b](l[c]);
    let n[b in B, s in S] = sum[r where r < s](i32(mask[b, r]));
    let at[b, s] = first[b] + n[b, s];
    let twice[b, s] = at[b, s] * 2 % max(P, 1);
    y[at[b, s]] max= b*S + s where mask[b, s] && 0 <= at[b, s] && at[b, s] < P;
    z[twice[b, s]] += x[b, s] where 0 <= twice[b, s] && twice[b, s] < P;
}
check packed(B = 3, S = 37, P = 100);
check packed(B = 5, S = 411, P = 3);
check packed(B = 11, S = 411, P = 1); // check-all
check packed(B = 1, S = 0, P = 2);
