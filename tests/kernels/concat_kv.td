// Two sequences of keys, one after the other.
export fn concat_kv(past: f16[B, H, S, 128], next: f16[B, H, T, 128]) -> (y: f16[B, H, S + T, 128]) {
    y[b, h, s, d] = if s < S then past[b, h, s, d] else next[b, h, s - S, d];
}

check concat_kv(B = 1, H = 1, S = 1, T = 1);
check concat_kv(B = 2, H = 3, S = 37, T = 5);
check concat_kv(B = 1, H = 2, S = 0, T = 9);
bench concat_kv(B = 16, H = 40, S = 2047, T = 1);
