// How many elements of a gradient have which binary exponent, and how many would be lost in fp8.
export fn exponent_histogram(g: f32[N]) -> (count: i32[64], lost: i32[]) {
    let e[i] = clamp(i32(floor(log2(max(abs(g[i]), 1e-30)))) + 48, 0, 63);
    count[e[i]] += 1;
    lost[] = sum[i](g[i] != 0 && abs(g[i]) < 0.001953125);
}
check exponent_histogram(N = 2003);
bench exponent_histogram(N = 33554467);
