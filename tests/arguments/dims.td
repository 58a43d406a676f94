// clause 10.2 and 3.4: the dimensions in the order in which the header first names them, and those that an instance
// fixes, `int` parameters among them. The names above each entry are its arguments in C.

fn flat(x: f32[B*T], T: int) -> (y: f32[B*T]) { y[n] = x[n] * T; }
fn blocks(x: f32[T*4], T: int) -> (y: f32[T*4]) { y[n] = x[n] * T; }
fn alone(x: f32[N], T: int) -> (y: f32[N]) { y[n] = x[n] * T; }
fn pack<T>(x: T[N, B..., K]) -> (y: T[B..., N]) { y[b..., n] = sum[k](x[n, b..., k]); }
fn shift(x: f32[N], k: int = 2) -> (y: f32[N]) { y[n] = pad(x[n + k], 0.0); }

// x, y;
export both_fixed = flat(B = 4, T = 8);
// x, y;
export both_fixed_turned = flat(T = 8, B = 4);
// x, y; B
export one_fixed = flat(T = 8);
// x, y; T
export other_fixed = flat(B = 4);
// x, y; B, K
export renamed = flat(T = K);
// x, y; B
export related = flat(B = B, T = 2*B);
// x, y;
export fixed_in_shape = blocks(T = 8);
// x, y; K
export squared = blocks(T = K*K);
// x, y; N
export fixed_value = alone(T = 8);
// x, y; N
export backwards = shift(k = -3);
// x, y; N, k
export default_kept = shift;
// x, y; N, M, K
export middle = pack(T = f32, B = [M]);
// x, y; P, M, Q, K
export middle_named = pack(T = f32, B = [M, Q], N = P);
// x, w, y; M, K, N
export fn product(x: f32[M, K], w: f32[K, N]) -> (y: f32[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); }
// w, x, y; N, K, M
export fn product_turned(w: f32[N, K], x: f32[M, K]) -> (y: f32[M, N]) { y[i, j] = sum[k](x[i, k] * w[j, k]); }
// x, y; T, N, S
export fn value_first(T: int, x: f32[N], S: int) -> (y: f32[N]) { y[n] = x[n] * T + S; }

check both_fixed(); check both_fixed_turned(); check one_fixed(B = 3); check other_fixed(T = 3);
check renamed(B = 2, K = 3); check related(B = 3); check fixed_in_shape(); check squared(K = 3);
check fixed_value(N = 5); check backwards(N = 7); check default_kept(N = 7); check middle(N = 2, M = 3, K = 4);
check middle_named(P = 2, M = 3, Q = 4, K = 5); check product(M = 3, K = 4, N = 5);
check product_turned(N = 3, K = 4, M = 5); check value_first(T = 3, N = 4, S = 5);
