// Reductions by keys whose operand has, by the fold's own operator, a part that is the same for all values of a key:
// idempotent operators fold it in once, where the key has values. A sum folds it as often as there are values.
export fn once(x: f32[M, V], w: f32[V, T], ids: i32[T])
        -> (hi: f32[M, V], lo: f32[M, V], some: bool[M, V], every: bool[M, V], all: f32[M, V], s: f32[M, V]) {
    assume -2 <= ids[t] && ids[t] <= V;
    hi[i, v] = max[t where ids[t] == v](max(x[i, v], max(w[v, t] * w[v, t], if i == 1 then nan else x[i, 0])));
    lo[i, v] = min[t where ids[t] == v](min(min(w[v, t], exp(x[i, v])), f32(t)));
    some[i, v] = any[t where ids[t] == v](x[i, v] > 1.0 || w[v, t] > 1.0);
    every[i, v] = all[t where ids[t] == v](x[i, v] < 1.0 && w[v, t] < 1.0);
    all[i, v] = max[t where ids[t] == v](x[i, v]);
    s[i, v] = sum[t where ids[t] == v](x[i, v] + w[v, t]);
}
check once(M = 3, V = 17, T = 101);
check once(M = 1, V = 1, T = 1);
check once(M = 2, V = 5, T = 0);
check once(M = 0, V = 5, T = 3);
check once(M = 2, V = 0, T = 3);
check once(M = 5, V = 301, T = 77);
bench once(M = 4096, V = 2048, T = 4096);

/// A condition beside the key, or another folded variable, may leave a key without values.
export fn conditions(x: f32[M, V], w: f32[V, T], ids: i32[T], J: int) -> (a: f32[M, V], b: f32[M, V]) {
    assume 0 <= ids[t] && ids[t] < V;
    a[i, v] = max[t where ids[t] == v && w[v, t] > 0.5](max(x[i, v], w[v, t]));
    b[i, v] = max[t, j in 0..J where ids[t] == v](max(x[i, v], w[v, t] * f32(j)));
}
check conditions(M = 3, V = 17, T = 101, J = 0);
check conditions(M = 3, V = 17, T = 101, J = 3);
check conditions(M = 1, V = 1, T = 0, J = 1);

/// Conditions around the reduction: of `a` what is folded exists without them, of `b` it does not.
export fn around(x: f32[M, V], w: f32[V, T], ids: i32[T], z: f32[Z], off: i32[M]) -> (a: f32[M, V], b: f32[M, V]) {
    assume 0 <= ids[t] && ids[t] < V;
    assume -9 <= off[i] && off[i] <= Z;
    a[i, v] = if x[i, v] > 0.25 then max[t where ids[t] == v](max(exp(x[i, v]), w[v, t])) else -1.0;
    b[i, v] = if off[i] >= 0 && off[i] + T <= Z then min[t where ids[t] == v](min(x[i, v], z[off[i] + t])) else 2.0;
}
check around(M = 3, V = 17, T = 101, Z = 130);
check around(M = 9, V = 5, T = 3, Z = 2);
check around(M = 1, V = 1, T = 0, Z = 0);
check around(M = 4, V = 3, T = 1, Z = 1);
bench around(M = 4096, V = 2048, T = 4096, Z = 8192);

// A fold of each column, stored in the whole row of the same number, beside another fold of all elements: a block that
// has a share of the column has no more of its mean.
dim S in 1..=16384 hint 512;
export fn returned(x: f32[S, S], ids: i32[S]) -> (y: f64[S, S], z: f32[S]) {
    assume 0 <= ids[a] && ids[a] < S;
    y[i, j] = mean[k in 0..S](f32(pad(x[k, i], -1.0) >= 1.0)) * 2 + 1.0;
    z[ids[i]] += x[i, i];
}
check returned(S = 8);
check returned(S = 33);
