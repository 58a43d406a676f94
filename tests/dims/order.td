// Dimensions of C functions stand in the order of the line that names several, then the others as the headers have them; no
// other line matters, nor one of an imported file. clause 10.2
import "./elsewhere.td";
dim M, N, K;
dim K hint 64;

export fn product(w: f32[K, N], x: f32[M, K]) -> (y: f32[M, N]) { y[m, n] = sum[k](x[m, k] * w[k, n]); }
export fn other(a: f32[S, R], b: f32[R, N], T: int) -> (y: f32[T, S]) { y[t, s] = sum[r](a[s, r]) + sum[r, n](b[r, n]); }
export ours = theirs;

check product(M = 3, N = 5, K = 7);
check ours(M = 3, N = 10, K = 2);
