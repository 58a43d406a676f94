// The two larger of each four weights, which two those are, and how much of the norm is left.
export fn two_of_four(w: f16[M, 4*N]) -> (v: f16[M, N, 2], at: i8[M, N, 2], left: f32[M]) {
    let (a[i, j in N, r], k[i, j, r]) = topk[q in 0..4](abs(w[i, 4*j + q]), 2);
    v[i, j, r] = w[i, 4*j + clamp(k[i, j, r], 0, 3)];
    at[i, j, r] = i8(k[i, j, r]);
    left[i] = sum[j, r](a[i, j, r] ** 2) / max(sum[l](w[i, l] ** 2), 1e-12);
}
check two_of_four(M = 5, N = 13);
bench two_of_four(M = 4096, N = 2048);
