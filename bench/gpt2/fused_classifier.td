// Losses of rows of logits, which become their gradient; columns from V on are padding and stay as they are.
export fn fused_classifier(inout logits: f32[N, P], targets: i32[N], V: int) -> (losses: f32[N]) {
    require 1 <= V && V <= P;
    assume 0 <= targets[n] && targets[n] < V;
    let m[n] = max[v in V](logits[n, v]);
    let s[n] = sum[v in V](exp(logits[n, v] - m[n]));
    losses[n] = log(s[n]) + m[n] - logits[n, targets[n]];
    logits[n, v] = if v < V then (exp(logits[n, v] - m[n]) / s[n] - (if v == targets[n] then 1.0 else 0.0)) / N else logits[n, v];
}
check fused_classifier(N = 3, P = 84, V = 37);
bench fused_classifier(N = 4096, P = 50304, V = 50257);
