// Preferences from summed logarithms of probabilities of two answers, whose tokens before the answer do not count.
import "nn";
export fn dpo_pairs(lp: f32[2, B, T], ref: f32[2, B, T], from: i32[2, B], beta: f32) -> (loss: f32[], right: f32[], dlp: f32[2, B, T]) {
    let r[a, b] = sum[t where t >= from[a, b]](lp[a, b, t] - ref[a, b, t]);
    let m[b] = beta * (r[0, b] - r[1, b]);
    loss[] = -mean[b](logsigmoid(m[b]));
    right[] = mean[b](if m[b] > 0 then 1.0 else 0.0);
    dlp[a, b, t] = if t >= from[a, b] then (if a == 0 then -beta else beta) * sigmoid(-m[b]) / B else 0;
}
check dpo_pairs(B = 5, T = 37, beta = 0.1) with from in 0..37;
bench dpo_pairs(B = 1500, T = 4000, beta = 0.1) with from in 0..3000;
