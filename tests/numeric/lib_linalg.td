// A selection of the standard library's linalg, as kernels.
import "linalg";

export product = matmul(T = f16, B = [P]);
check product(P = 3, M = 17, K = 35, N = 19);
check product(P = 2, M = 3, K = 0, N = 5);

export fn layer(x: bf16[M, K], w: bf16[N, K], b: bf16[N]) -> (y: bf16[M, N]) { y = linear(x, w, b, act = relu); }
check layer(M = 13, K = 67, N = 21);

export quantised = linear_i8();
check quantised(M = 5, N = 7, K = 131);

export fn inverses(x: f32[P, 3, 3], y: f32[P, 2, 2]) -> (a: f32[P], b: f32[P, 3, 3], c: f32[P, 2, 2]) {
    a = det3(x);
    let s[p, i, j] = 0.25 * x[p, i, j] + (if i == j then 3.0 else 0.0);
    b = inv3(s);
    c = matmul_tn(y, y);
}
check inverses(P = 37);

export pairs = cdist(T = f32, B = [P]);
check pairs(P = 2, M = 9, N = 11, K = 5);

export fn statistics(x: f32[M, N], y: f32[M, N]) -> (s: f32[M], c: f32[M, M], k: f32[M], t: f32[]) {
    s = std(x, correction = 1);
    c = cov(x);
    k = cosine_similarity(x, y);
    t = norm_all(x);
}
check statistics(M = 7, N = 133);

export fn running(x: f32[M, N]) -> (a: f32[M, N], b: f32[M, N], c: f32[M, N]) {
    a = cumsum(x);
    b = cummax(x);
    c = cumprod(x);
}
check running(M = 3, N = 77);

export blocks = kron(T = f32);
check blocks(M = 3, N = 5, P = 4, Q = 7);
