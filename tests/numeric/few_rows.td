// Products with a computed factor: of few rows a kernel's, of many the library's with the factor stored first, whatever
// was said of how many there are.
dim H hint 1;
dim G hint 64;

export fn unsaid(x: f16[M, K], q: i8[K, N], s: f16[N]) -> (y: f16[M, N]) {
    y[i, j] = sum[k](x[i, k]*f16(q[k, j]))*s[j];
}
check unsaid(M = 0, K = 33, N = 24) with s ~ 0.1;
check unsaid(M = 1, K = 33, N = 24) with s ~ 0.1;
check unsaid(M = 2, K = 64, N = 72) with s ~ 0.1;
check unsaid(M = 3, K = 64, N = 72) with s ~ 0.1;
check unsaid(M = 5, K = 72, N = 80) with s ~ 0.1;
check unsaid(M = 8, K = 264, N = 136) with s ~ 0.1;
check unsaid(M = 8, K = 37, N = 21) with s ~ 0.1;
check unsaid(M = 9, K = 64, N = 72) with s ~ 0.1;
check unsaid(M = 70, K = 96, N = 64) with s ~ 0.1;
check unsaid(M = 2, K = 0, N = 5) with s ~ 0.1;

export fn few_hinted(x: bf16[H, K], q: i8[N, K]) -> (y: bf16[H, N]) {
    y[i, j] = max(sum[k](x[i, k]*bf16(q[j, k])), 0.5);
}
check few_hinted(H = 1, K = 64, N = 48);
check few_hinted(H = 65, K = 64, N = 48);

export fn many_hinted(x: f32[G, K], w: f32[K, N]) -> (y: f32[G, N]) { y[i, j] = sum[k](x[i, k]*exp(w[k, j])); }
check many_hinted(G = 1, K = 65, N = 40);
check many_hinted(G = 64, K = 65, N = 40);

// Two products with one such length, one of the other's result; and rows that are a factor's on the right.
export fn layers(x: f16[M, K], q: i8[K, F], r: i8[F, N]) -> (y: f16[M, N]) {
    let h: f16[i, f] = max(sum[k](x[i, k]*f16(q[k, f])), 0.0);
    y[i, j] = sum[f](h[i, f]*f16(r[f, j]))*0.01;
}
check layers(M = 1, K = 32, F = 48, N = 16);
check layers(M = 66, K = 32, F = 48, N = 16);

export fn turned(q: i8[N, K], x: f16[K, M]) -> (y: f16[N, M]) { y[j, i] = sum[k](f16(q[j, k])*x[k, i]); }
check turned(N = 40, K = 64, M = 1);
check turned(N = 40, K = 64, M = 67);
