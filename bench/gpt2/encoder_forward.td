// The rows of tokens and of their places, added.
export fn encoder_forward(inp: i32[B, T], wte: f32[V, C], wpe: f32[P, C]) -> (out: f32[B, T, C]) {
    assume 0 <= inp[b, t] && inp[b, t] < V;
    require T <= P;
    out[b, t, c] = wte[inp[b, t], c] + wpe[t, c];
}
check encoder_forward(B = 2, T = 5, P = 7, V = 11, C = 12);
bench encoder_forward(B = 4, T = 1024, P = 1024, V = 50304, C = 768);
