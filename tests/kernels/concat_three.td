// Three vectors, one behind the other.
export fn concat_three(a: f32[L], b: f32[M], c: f32[N]) -> (y: f32[L + M + N]) {
    y[i] = if i < L then a[i] else if i < L + M then b[i - L] else c[i - L - M];
}

check concat_three(L = 1, M = 1, N = 1);
check concat_three(L = 300, M = 131, N = 77);
check concat_three(L = 0, M = 65, N = 3);
check concat_three(L = 129, M = 0, N = 0);
check concat_three(L = 0, M = 0, N = 0);
