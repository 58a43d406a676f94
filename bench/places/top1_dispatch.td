// Each token goes to the expert that its gate prefers, as long as that has room: the tokens of each expert in order.
export fn top1_dispatch(x: bf16[T, D], g: f32[T, N]) -> (y: bf16[N, C, D], expert: i32[T], place: i32[T]) {
    require N > 0;
    let e[t] = argmax[n](g[t, n]);
    let before[t, n in N] = sum[u where u < t](i32(e[u] == n));
    let p[t] = before[t, e[t]];
    y[n in N, c in C, d] = 0;
    y[e[t], p[t], d] = x[t, d] where 0 <= p[t] && p[t] < C;
    expert[t] = i32(e[t]);
    place[t] = p[t];
}
check top1_dispatch(T = 101, D = 12, N = 4, C = 20);
bench top1_dispatch(T = 32768, D = 1024, N = 64, C = 640);
