// A contrastive loss in which all of one label are alike, itself excepted.
import "nn";
export fn supervised_contrast(s: bf16[N, N], label: i32[N], temperature: f32) -> (loss: f32[N]) {
    let l[i] = lse[j where j != i](s[i, j] / temperature);
    let n[i] = f32(max(sum[j where j != i](label[j] == label[i]), 1));
    loss[i] = sum[j where j != i && label[j] == label[i]](l[i] - s[i, j] / temperature) / n[i];
}
check supervised_contrast(N = 37, temperature = 0.1) with s in -1.0..1.0, label in 0..6;
bench supervised_contrast(N = 6007, temperature = 0.1) with s in -1.0..1.0, label in 0..100;
