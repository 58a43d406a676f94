// What is updated decides whether something else is loaded, or which element of it, and several threads have folded what
// it is compared with: the one of them that stores it loads both.
export fn replaced(inout p: i32[N], x: f32[N, K], y: f32[M], q: i32[N]) {
    p[i] = if p[i] < i32(max[k](x[i, k])) && q[i] >= 0 && q[i] < M then i32(y[q[i]]) else p[i] + 1;
}
check replaced(N = 37, K = 100, M = 5);
check replaced(N = 3, K = 5000, M = 1);
check replaced(N = 2, K = 1, M = 3);
check replaced(N = 0, K = 50, M = 1);

// a place that is updated, and stored by what is there
export fn followed(inout p: i32[N], x: f32[N, K], y: f32[N]) -> (z: f32[N]) {
    assume 0 <= p[i] && p[i] < N;
    z[i] = sum[k](x[i, k]) * y[p[i]];
    p[i] = i32((i64(p[i]) + i64(max[k](abs(x[i, k])))) % N);
}
check followed(N = 37, K = 100);
check followed(N = 3, K = 5000);
check followed(N = 1, K = 1);

// two steps: the second place is what is found at the first
export fn twice(inout p: i32[N], x: f32[N, K], next: i32[N], y: f32[N]) -> (z: f32[N]) {
    require K > 0;
    assume 0 <= p[i] && p[i] < N && 0 <= next[i] && next[i] < N;
    z[i] = if x[i, 0] > 0.0 then y[next[p[i]]] + sum[k](x[i, k]) else 0.0;
    p[i] = if max[k](x[i, k]) > 0.5 then next[p[i]] else p[i];
}
check twice(N = 41, K = 70);
check twice(N = 2, K = 3000);

// What is there decides whether the fold of a row is added to it: one thread of those that fold knows it, and stores.
export fn guarded_sums(inout p: f32[B], w: f32[B, N]) {
    p[i] += sum[j](w[i, j]) where p[i] > 0;
}
check guarded_sums(B = 33, N = 100);
check guarded_sums(B = 1, N = 1);
check guarded_sums(B = 5, N = 0);
check guarded_sums(B = 2, N = 3001);
