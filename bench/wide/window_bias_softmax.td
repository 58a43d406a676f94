// Scores of small windows, a bias that a table gives for each pair of places, and the softmax.
import "nn";
export fn window_bias_softmax(s: f16[B, H, L, L], t: f16[R, H], at: i64[L, L]) -> (y: f16[B, H, L, L]) {
    assume 0 <= at[i, j] && at[i, j] < R;
    let z[b, h, i, j] = s[b, h, i, j] + t[at[i, j], h];
    y = softmax(z);
}
check window_bias_softmax(B = 3, H = 2, L = 7, R = 11);
bench window_bias_softmax(B = 2048, H = 6, L = 49, R = 169);
