// Types, integers, flags and functions as static parameters; packs; acc(T).
fn square(x) = x * x;

fn pool<T, K: int = 2, act: fn = identity>(x: T[B..., K*N]) -> (y: acc(T)[B..., N]) {
    y[b..., n] = act(max[r in 0..K](x[b..., K*n + r]));
}

fn rows<T, causal: bool = true>(x: T[N, N]) -> (y: T[N]) {
    y[i] = sum[j where !causal || j <= i](x[i, j]);
}

export pool_f16 = pool(T = f16, K = 4, B = [M]);
export pool_flat = pool(T = f32, B = [], act = square);
export pool_fixed = pool(T = bf16, B = [P, 3], N = 64);
export rows_causal = rows(T = f32);
export rows_full = rows(T = bf16, causal = false);

export fn two(x: f16[M, 6*N]) -> (y: f32[M, 2*N]) {
    y = pool(x, K = 3);
}
