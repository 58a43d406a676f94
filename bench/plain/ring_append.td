// New keys into a cache that is a ring of a window, and the ages of its places.
export fn ring_append(inout cache: bf16[B, W, H, D], k: bf16[B, S, H, D], at: i32[B]) -> (age: i32[B, W]) {
    require W >= 1;
    assume 0 <= at[b] && at[b] < 1000000;
    cache[b, (at[b] + s) % W, h, d] = k[b, s, h, d];
    age[b, w] = i32((at[b] + S - 1 - w) % W);
}
check ring_append(B = 2, W = 11, S = 7, H = 3, D = 5);
bench ring_append(B = 16, W = 1024, S = 512, H = 8, D = 128);
