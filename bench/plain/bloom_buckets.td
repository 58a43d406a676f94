// Keys mixed by the end of Murmur's hash, the bucket of each, and how many each bucket gets.
fn mix1(h: u32) -> u32 = (h ^ (h >> 16)) * 0x85ebca6b;
fn mix2(h: u32) -> u32 = (h ^ (h >> 13)) * 0xc2b2ae35;
fn mix(h: u32) -> u32 = mix2(mix1(h)) ^ (mix2(mix1(h)) >> 16);
export fn bloom_buckets(key: u32[N], seed: u32) -> (bucket: u16[N], load: i32[4096]) {
    let h[n] = mix(key[n] ^ seed) & 0xFFF;
    bucket[n] = u16(h[n]);
    load[b] = sum[n where h[n] == b](1);
}
check bloom_buckets(N = 501, seed = 99);
bench bloom_buckets(N = 12000001, seed = 99);
