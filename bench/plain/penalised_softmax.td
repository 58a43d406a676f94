// Logits of a step of decoding to probabilities: a soft cap, penalties for tokens that occurred, a bias, a temperature.
import "nn";
export fn penalised_softmax(x: f16[B, V], count: i32[B, V], bias: f32[V], temperature: f32[B]) -> (p: f32[B, V]) {
    let z[b, v] = 30 * tanh(x[b, v] / 30);
    let r[b, v] = if count[b, v] == 0 then z[b, v]
                  else (if z[b, v] > 0 then z[b, v] / 1.3 else z[b, v] * 1.3) - 0.2 * f32(count[b, v]) - 0.5;
    let u[b, v] = (r[b, v] + bias[v]) / temperature[b];
    p = softmax(u);
}
check penalised_softmax(B = 3, V = 131) with count in 0..4, temperature in 0.5..1.5;
bench penalised_softmax(B = 256, V = 32003) with count in 0..4, temperature in 0.5..1.5;
