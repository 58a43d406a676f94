// One step of an LSTM from its four gates, and the mean of how open the forget gate is in each unit.
import "nn";
export fn lstm_cell(z: f16[B, 4, U], inout c: f32[B, U]) -> (h: f16[B, U], open: f32[U]) {
    let f[b, u] = sigmoid(z[b, 1, u] + 1);
    c[b, u] = f[b, u] * c[b, u] + sigmoid(z[b, 0, u]) * tanh(z[b, 2, u]);
    h[b, u] = sigmoid(z[b, 3, u]) * tanh(new(c)[b, u]);
    open[u] = mean[b](f[b, u]);
}
check lstm_cell(B = 7, U = 37);
bench lstm_cell(B = 4096, U = 1023);
