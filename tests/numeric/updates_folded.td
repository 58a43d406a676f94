// Updates in place whose values hold reductions: those are stored first, and then every element is read and written by one thread.
export fn clip(inout a: f32[N, M], most: f32) -> (norm: f32[]) {
    norm[] = sqrt(sum[n, m](a[n, m] ** 2));
    a[n, m] *= min(1.0, most / norm[]);
}
export fn clip_two(inout a: f32[N], inout b: f32[M], most: f32) -> (norm: f32[]) {
    norm[] = sqrt(sum[n](a[n] ** 2) + sum[m](b[m] ** 2));
    a[n] *= min(1.0, most / norm[]);
    b[m] *= min(1.0, most / norm[]);
}
export fn descend(inout w: f32[I], g: f32[B, I], x: f32[B], rate: f32) { w[i] += -rate * sum[b](g[b, i] * x[b]); }
export fn softmax_into(inout x: f32[M, N]) { x[i, j] = exp(x[i, j] - max[k](x[i, k])) / sum[k](exp(x[i, k] - max[q](x[i, q]))); }
export fn shifted(inout x: f32[N]) { x[i] = x[i] + (if i > 0 then x[i - 1] else 0.0); }
export fn running(inout x: f32[N]) { x[i] = x[i] + sum[k where k <= i](x[k]); }
// Each reads what the other was.
export fn exchange(inout a: f32[N], inout b: f32[N]) { a[n] = a[n] + max[k](b[k]); b[n] = b[n] - sum[k](a[k]); }
export fn some(inout a: f32[N, M], on: bool[N]) { a[n, m] += if on[n] then sum[k](a[n, k]) else 0.0; }
check clip(N = 37, M = 61, most = 1.0);
check clip(N = 1, M = 0, most = 1.0);
check clip_two(N = 37, M = 61, most = 1.0);
check clip_two(N = 0, M = 1, most = 1.0);
check descend(I = 37, B = 61, rate = 0.1);
check descend(I = 5, B = 0, rate = 0.1);
check softmax_into(M = 37, N = 61);
check softmax_into(M = 3, N = 1);
check shifted(N = 61);
check running(N = 61);
check exchange(N = 61);
check some(N = 7, M = 13);
