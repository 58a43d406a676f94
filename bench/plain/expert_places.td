// Where each token goes among all, ordered by expert: behind the earlier tokens of its expert. And where experts begin.
export fn expert_places(ids: i32[T]) -> (place: i32[T], start: i32[E]) {
    assume 0 <= ids[t] && ids[t] < E;
    let c[t, e in E] = sum[k where k <= t](i32(ids[k] == e));
    let n[e in E] = sum[t](i32(ids[t] == e));
    start[e] = sum[k where k < e](n[k]);
    place[t] = start[ids[t]] + c[t, ids[t]] - 1;
}
check expert_places(T = 301, E = 7);
bench expert_places(T = 1048576, E = 32);
