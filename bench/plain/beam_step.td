// The four best continuations of four beams, which of the beams they come from, and their tokens.
import "nn";
export fn beam_step(x: bf16[B, 4, V], total: f32[B, 4]) -> (score: f32[B, 4], beam: i32[B, 4], token: i32[B, 4]) {
    require V >= 1;
    let l = log_softmax(x);
    let (s[b, r], at[b, r]) = topk[i in 0..4*V](total[b, i / V] + l[b, i / V, i % V], 4);
    score[b, r] = s[b, r];
    beam[b, r] = i32(at[b, r] / V);
    token[b, r] = i32(at[b, r] % V);
}
check beam_step(B = 3, V = 37);
bench beam_step(B = 64, V = 32000);
