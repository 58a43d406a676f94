// Confidence and accuracy of predictions in 15 bins, and the error between them.
import "nn";
export fn calibration_bins(x: f32[M, C], t: i32[M]) -> (n: i32[15], conf: f32[15], acc: f32[15], ece: f32[]) {
    let top[i] = max[c](x[i, c]);
    let p[i] = 1 / sum[c](exp(x[i, c] - top[i]));
    let at[i] = argmax[c](x[i, c]);
    let k[i] = clamp(i32(p[i] * 15), 0, 14);
    n[k[i]] += 1;
    conf[k[i]] += p[i];
    acc[k[i]] += if at[i] == t[i] then 1.0 else 0.0;
    ece[] = sum[b](abs(conf[b] - acc[b])) / M;
}
check calibration_bins(M = 203, C = 10) with t in 0..10;
bench calibration_bins(M = 1000003, C = 10) with t in 0..10;
