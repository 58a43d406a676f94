// Codes of points in the unit cube with the bits of the coordinates interleaved, and the number in each octant.
fn spread1(x: u32) -> u32 = (x | (x << 16)) & 0x030000FF;
fn spread2(x: u32) -> u32 = (x | (x << 8)) & 0x0300F00F;
fn spread3(x: u32) -> u32 = (x | (x << 4)) & 0x030C30C3;
fn spread4(x: u32) -> u32 = (x | (x << 2)) & 0x09249249;
fn spread(x: u32) -> u32 = spread4(spread3(spread2(spread1(x))));
export fn morton_codes(p: f32[N, 3]) -> (code: u32[N], octant: i32[8]) {
    let q[n, k] = u32(clamp(p[n, k] * 1024, 0, 1023));
    code[n] = spread(q[n, 0]) | spread(q[n, 1]) << 1 | spread(q[n, 2]) << 2;
    octant[o] = sum[n where (code[n] >> 27) == o](1);
}
check morton_codes(N = 301) with p in 0.0..1.0;
bench morton_codes(N = 6000001) with p in 0.0..1.0;
