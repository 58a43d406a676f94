// A transposed convolution written as a gather: the guard says which taps reach an output.
dim L in 1..=65536;
dim H in 1..=4096;
dim W in 1..=4096;

/// One axis, seven taps, three places a step, two cut from the front: out[p] gets x[i] f[r] where 3 i + r = p + 2.
export fn spread_line(x: f32[N, C, L], f: f32[C, O, 7]) -> (y: f32[N, O, 3*L]) {
    y[n, o, p] = sum[c, r where (p + 2 - r) % 3 == 0](pad(x[n, c, (p + 2 - r) / 3], 0.0) * f[c, o, r]);
}
check spread_line(N = 1, C = 1, O = 1, L = 1);
check spread_line(N = 2, C = 5, O = 3, L = 17);
check spread_line(N = 1, C = 13, O = 7, L = 2);
check spread_line(N = 0, C = 2, O = 2, L = 4);

/// Two axes, 2 by 3 taps, two rows and one column a step, one filter a channel, the range tested by the guard.
export fn spread_plane(x: bf16[N, C, H, W], f: bf16[C, 2, 3]) -> (y: bf16[N, C, 2*H, W + 2]) {
    y[n, c, p, q] = sum[r, s where (p - r) % 2 == 0 && p >= r && q >= s && q - s < W](
        x[n, c, (p - r) / 2, q - s] * f[c, r, s]);
}
check spread_plane(N = 1, C = 1, H = 1, W = 1);
check spread_plane(N = 3, C = 2, H = 5, W = 9);
check spread_plane(N = 1, C = 19, H = 1, W = 6);
check spread_plane(N = 2, C = 0, H = 3, W = 3);
