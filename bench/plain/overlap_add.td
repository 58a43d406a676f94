// Windowed frames, of which each covers four hops, added to a signal, over the sum of the squared windows.
dim S in 1..;
export fn overlap_add(z: f32[B, F, 4*S], w: f32[4*S]) -> (y: f32[B, (F + 3)*S]) {
    let top[b, h in F + 3, s in S] = sum[q in 0..4 where 0 <= h - q && h - q < F](z[b, h - q, q*S + s] * w[q*S + s]);
    let norm[h in F + 3, s in S] = sum[q in 0..4 where 0 <= h - q && h - q < F](w[q*S + s] ** 2);
    y[b, t] = top[b, t / S, t % S] / max(norm[t / S, t % S], 1e-8);
}
check overlap_add(B = 2, F = 7, S = 5) with w in 0.1..1.0;
bench overlap_add(B = 16, F = 1000, S = 256) with w in 0.1..1.0;
