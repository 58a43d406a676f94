// Scores of clicks and of others in bins, and the area under the curve that they give.
import "nn";
export fn auc_bins(x: f32[N], label: bool[N]) -> (pos: i32[512], neg: i32[512], auc: f32[]) {
    let k[n] = clamp(i32(sigmoid(x[n]) * 512), 0, 511);
    pos[k[n]] += 1 where label[n];
    neg[k[n]] += 1 where !label[n];
    let below[i in 512] = sum[j where j < i](f32(neg[j]));
    let area = sum[i](f32(pos[i]) * (below[i] + 0.5 * f32(neg[i])));
    auc[] = area / max(sum[i](f32(pos[i])) * sum[i](f32(neg[i])), 1);
}
check auc_bins(N = 2003);
bench auc_bins(N = 16000057);
