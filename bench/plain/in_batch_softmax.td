// Retrieval with the batch as negatives: popularity is corrected, the same item elsewhere does not count.
import "nn";
export fn in_batch_softmax(s: f32[N, N], item: i64[N], logq: f32[N]) -> (loss: f32[], ds: f32[N, N]) {
    let z[i, j] = if i != j && item[i] == item[j] then -inf else s[i, j] - logq[j];
    let l[i] = lse[j](z[i, j]);
    loss[] = mean[i](l[i] - z[i, i]);
    ds[i, j] = (exp(z[i, j] - l[i]) - (if i == j then 1 else 0)) / f32(N);
}
check in_batch_softmax(N = 37);
bench in_batch_softmax(N = 4001);
