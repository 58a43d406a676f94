// Results stored in a type of the export's own. What the function computes of a result is computed of it unrounded.
// clause 10.1
import "nn";
import "norm";
import "linalg";

export probabilities = softmax(T = bf16, B = [M]) -> bf16;
export stats = layer_norm_stats(T = bf16, B = [M]) -> (bf16, _, f8e5m2);
export wide = relu_of(T = f16) -> f64;
export product = matmul(T = f16, B = []) -> f16; // the library stores f16

fn relu_of<T>(x: T[N]) -> (y: T[N]) { y[n] = max(x[n], 0); }
// An inout beside a result.
fn step(inout p: f32[N], g: f32[N]) -> (s: f32[N]) { s[n] = g[n] * g[n]; p[n] = p[n] - s[n]; }
export stepped = step -> f16;

check probabilities(M = 5, N = 1021);
check stats(M = 5, N = 1021) tol 0.13;
check wide(N = 1000);
check product(M = 33, N = 65, K = 129);
check stepped(N = 1000);
