// A round of finding components: the least label among eight listed neighbours (-1 for none), and how many changed.
export fn component_labels(label: i32[V], near: i32[V, 8]) -> (next: i32[V], changed: i32[]) {
    assume -1 <= near[v, k] && near[v, k] < V;
    let best[v] = min[k where near[v, k] >= 0](label[near[v, k]]);
    next[v] = min(label[v], best[v]);
    changed[] = sum[v](next[v] != label[v]);
}
check component_labels(V = 101) with label in 0..101;
bench component_labels(V = 2000003) with label in 0..2000003;
