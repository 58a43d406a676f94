// Functions of the library composed as models do: sizes that follow from each other through strides, halves and heads.
import "attn";
import "conv";
import "index";

dim H in 8..4096;
dim W in 8..4096;

export fn classifier(x: f32[N, 1, 12, 12], w1: f32[2, 1, 3, 3], w2: f32[3, 2, 2, 2], w3: f32[10, 12]) -> (y: f32[N, 10]) {
    let a = max_pool2d(conv2d(x, w1, act = relu), kernel = 2);
    let f = flatten2(flatten2(max_pool2d(conv2d(a, w2, act = relu), kernel = 2)));
    y[n, k] = sum[c](f[n, c]*w3[k, c]);
}

export fn strides(x: f32[N, C, H, W], w: f32[C, C, 3, 3]) -> (y: f32[N, C]) {
    y = global_avg_pool(conv2d(conv2d(x, w, stride = 2, padding = 1), w, stride = 2, padding = 1));
}

export fn skip(x: f32[N, C, 2*P, 2*Q], w: f32[C, C, 3, 3], v: f32[C, 2*C, 3, 3]) -> (y: f32[N, C, 2*P, 2*Q]) {
    let d = max_pool2d(conv2d_same(x, w), kernel = 2);
    y = conv2d_same(concat_channels(x, upsample_nearest2d(conv2d_same(d, w))), v);
}

export fn patches(x: f32[N, 3, 4*P, 4*Q], w: f32[D, 3, 4, 4]) -> (y: f32[N, P*Q, D]) {
    y = transpose(flatten2(conv2d(x, w, stride = 4)));
}

export fn rotated(q: f16[B, M, S, 2*D], k: f16[B, G, S, 2*D], v: f16[B, G, S, 2*D], pos: i32[S])
        -> (o: f16[B, S, M*(2*D)]) {
    let (c, s) = rope_table(pos, T = f32, D = D);
    let a: f16[b, h, i, d] = rope(q, c, s)[b, h, i, d];
    let e: f16[b, h, i, d] = rope(k, c, s)[b, h, i, d];
    let r: f16[b, h, i, d] = gqa_attention(a, e, v, causal = true)[b, h, i, d];
    o = merge_heads(r);
}

check classifier(N = 2);
check strides(N = 1, C = 2, H = 9, W = 8);
check skip(N = 1, C = 2, P = 3, Q = 2);
check patches(N = 2, P = 2, Q = 3, D = 5);
check rotated(B = 1, M = 6, S = 9, D = 4, G = 3);
check rotated(B = 1, M = 6, S = 9, D = 4, G = 4) error "divisible";
