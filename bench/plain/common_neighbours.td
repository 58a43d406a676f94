// The overlap of pairs of sets that are rows of bits, as counts and after Jaccard.
fn pairs2(x) = x - ((x >> 1) & 0x55555555);
fn nibbles(x) = (x & 0x33333333) + ((x >> 2) & 0x33333333);
fn ones(x: u32) -> u32 = (((nibbles(pairs2(x)) + (nibbles(pairs2(x)) >> 4)) & 0x0F0F0F0F) * 0x01010101) >> 24;
export fn common_neighbours(bits: u32[V, W], pair: i32[P, 2]) -> (both: i32[P], jaccard: f32[P]) {
    assume 0 <= pair[p, k] && pair[p, k] < V;
    both[p] = sum[w](i32(ones(bits[pair[p, 0], w] & bits[pair[p, 1], w])));
    let either[p] = sum[w](i32(ones(bits[pair[p, 0], w] | bits[pair[p, 1], w])));
    jaccard[p] = f32(both[p]) / f32(max(either[p], 1));
}
check common_neighbours(V = 23, W = 13, P = 101);
bench common_neighbours(V = 50000, W = 250, P = 100003);
