// The wave equation by leapfrog: the older field becomes the next one in place; energy of each image of the batch.
export fn wave_leapfrog(inout old: f32[B, H, W], u: f32[B, H, W], c2: f32[H, W]) -> (energy: f32[B]) {
    let lap[b, i, j] = pad(u[b, i - 1, j], 0) + pad(u[b, i + 1, j], 0) + pad(u[b, i, j - 1], 0) + pad(u[b, i, j + 1], 0) - 4 * u[b, i, j];
    old[b, i, j] = 2 * u[b, i, j] - old[b, i, j] + c2[i, j] * lap[b, i, j];
    energy[b] = sum[i, j]((new(old)[b, i, j] - u[b, i, j]) ** 2);
}
check wave_leapfrog(B = 3, H = 7, W = 11) with c2 in 0.0..0.4;
bench wave_leapfrog(B = 12, H = 1000, W = 1001) with c2 in 0.0..0.4;
