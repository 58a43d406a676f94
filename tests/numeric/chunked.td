// Folds over ranges that are data, whose lengths differ as much as they can: chunks of 64 positions, and of 64 of these
// (sched/plan/README.md, "chunk"). Rows of 0, 1, 64, 65, 128, 129, 4096, 4097 positions, at and beside chunks' ends.

dim T hint 10000000;
dim N hint 10000000;

// All updates of one place, among places that have none; keys outside of all.
export fn one_place(ids: i32[T], g: f16[T, D], inout dw: f32[V, D]) {
    dw[i, d] = dw[i, d] + sum[t where ids[t] == i](g[t, d]);
}
check one_place(T = 9001, V = 5, D = 3) with ids in 3..4;
check one_place(T = 4097, V = 300, D = 1) with ids in 299..300; // check-all
check one_place(T = 64, V = 2, D = 5) with ids in 0..1;
check one_place(T = 65, V = 2, D = 5) with ids in 1..2;
check one_place(T = 129, V = 1, D = 4) with ids in 0..1;
check one_place(T = 5000, V = 3, D = 2) with ids in -2..1;
check one_place(T = 5000, V = 3, D = 2) with ids in 2..6;
check one_place(T = 300, V = 4, D = 2) with ids in -9..0;
check one_place(T = 300, V = 0, D = 2) with ids in -9..9;
check one_place(T = 0, V = 4, D = 2);

// As words of a language are: the first has a large share, most have none.
export fn zipf(u: i64[T], g: bf16[T, D]) -> (dw: bf16[V, D], n: i32[V]) {
    dw[i, d] = sum[t where V / (1 + max(u[t], 0)) - 1 == i](g[t, d]);
    n[i] = sum[t where V / (1 + max(u[t], 0)) - 1 == i](1);
}
check zipf(T = 6000, V = 700, D = 2) with u in 0..700; // check-all
check zipf(T = 1500, V = 200, D = 2) with u in 0..200;
check zipf(T = 70, V = 7, D = 1) with u in 0..9;
check zipf(T = 1, V = 1, D = 1);

// Ranges of given lengths, one behind the other, of which the shortest stand between the longest.
export fn steps(x: f32[T], tag: f32[V]) -> (y: f32[V], top: f32[V]) {
    y[i] = sum[t where (if t < 64 then 0 else if t < 129 then 1 else if t < 130 then 2 else if t < 258 then 3 else if t < 387 then 5 else if t < 4483 then 6 else 7) == i]
              (x[t] * tag[i]);
    top[i] = max[t where t * t / 65536 == i](x[t]);
}
check steps(T = 8580, V = 8);
check steps(T = 8581, V = 300); // check-all
check steps(T = 388, V = 9);

// What is folded depends on whose range it is, and on conditions.
export fn tagged(ids: i32[B, K], x: f32[B, K, R], low: f32[B, N]) -> (y: f32[B, N], worst: f32[B, N]) {
    y[b, i] = sum[k, r where ids[b, k] == i && x[b, k, r] > low[b, i]](x[b, k, r] - low[b, i]);
    worst[b, i] = min[k where ids[b, k] == i](f32(k % 97) * low[b, i]);
}
check tagged(B = 3, K = 1000, N = 4, R = 3) with ids in 0..5;
check tagged(B = 2, K = 300, N = 2, R = 1) with ids in 1..2;
check tagged(B = 70, K = 5, N = 3, R = 2) with ids in 0..3;
check tagged(B = 1, K = 1, N = 1, R = 1) with ids in 0..1;

export fn joint(a: i32[T], b: i64[T], x: f64[T]) -> (y: f64[M, N]) {
    y[i, k] = sum[t where a[t] == i && b[t] == k](x[t] * f64(1 + i) - f64(k));
}
check joint(T = 5111, M = 2, N = 3) with a in 0..2, b in 0..3;
check joint(T = 5111, M = 3, N = 300) with a in 1..2, b in 7..9; // check-all

// Which of them: the first of equal ones; booleans; least and largest; products.
export fn extremes(ids: i32[T], x: f32[T], k: i32[T])
    -> (at: i64[N], low: i64[N], any_: bool[N], all_: bool[N], p: f32[N], least: i32[N]) {
    at[i] = argmax[t where ids[t] == i](x[t]);
    low[i] = argmin[t where ids[t] == i](k[t] % 4);
    any_[i] = any[t where ids[t] == i](x[t] > 3.3);
    all_[i] = all[t where ids[t] == i](x[t] > -3.3);
    p[i] = prod[t where ids[t] == i](1 + 0.01 * tanh(x[t]));
    least[i] = min[t where ids[t] == i](k[t]);
}
check extremes(T = 4777, N = 3) with ids in 1..2, k in -100..100;
check extremes(T = 777, N = 5) with ids in 0..4, k in 0..4;
check extremes(T = 65, N = 2) with ids in 0..1, k in 0..3;
check extremes(T = 1, N = 2) with ids in 0..2, k in 0..3;
check extremes(T = 0, N = 2);

// Ranges by offsets that are known to ascend: which one a position is in is searched for.
export fn segments(x: f32[N, D], off: i64[B + 1], s: f32[B]) -> (y: f32[B, D], top: f32[B], at: i64[B]) {
    assume b >= B || off[b] <= off[b + 1];
    assume 0 <= off[b] && off[b] <= N;
    y[b, d] = sum[n in off[b]..off[b + 1]](x[n, d]) * s[b];
    top[b] = max[n in off[b]..off[b + 1]](sin(f32(n)) * s[b]);
    at[b] = argmin[n in off[b]..off[b + 1]](cos(f32(n % 1000)) * s[b]);
}
check segments(N = 9000, D = 1, B = 2); // check-all
check segments(N = 5000, D = 3, B = 300);
check segments(N = 4500, D = 1, B = 1);
check segments(N = 65, D = 1, B = 3); // check-all
check segments(N = 1, D = 1, B = 0);
check segments(N = 0, D = 1, B = 3); // check-all

// Ends that may lie anywhere: ranges overlap, and stay as they are.
export fn windows(x: f32[T, D], off: i32[B + 1]) -> (y: f32[B, D]) {
    assume 0 <= off[b] && off[b] <= T;
    y[b, d] = sum[n in off[b]..off[b + 1]](x[n, d]);
}
check windows(T = 3000, D = 2, B = 40);
