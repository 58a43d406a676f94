// Which ids a bitmap holds, and for each block of a thousand rows how many.
export fn bitmap_filter(bits: u32[W], id: i32[B, 1000]) -> (hit: bool[B, 1000], n: i32[B]) {
    assume 0 <= id[b, k] && id[b, k] < 32 * W;
    hit[b, k] = ((bits[id[b, k] / 32] >> u32(id[b, k] % 32)) & 1) == 1;
    n[b] = sum[k](hit[b, k]);
}
check bitmap_filter(W = 7, B = 3);
bench bitmap_filter(W = 100000, B = 12001);
