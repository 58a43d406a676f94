// Gradients of the rows are added to what is there, of tokens in their order.
export fn encoder_backward(inout dwte: f32[V, C], inout dwpe: f32[P, C], dout: f32[B, T, C], inp: i32[B, T]) {
    assume 0 <= inp[b, t] && inp[b, t] < V;
    require T <= P;
    dwte[inp[b, t], c] += dout[b, t, c];
    dwpe[t in T, c] += sum[b](dout[b, t, c]);
}
check encoder_backward(B = 2, T = 5, P = 7, V = 11, C = 12);
bench encoder_backward(B = 4, T = 1024, P = 1024, V = 50304, C = 768);
