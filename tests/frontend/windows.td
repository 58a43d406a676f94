// Index arithmetic that needs no pad, and pad where it does.
dim W in 3..1000000 hint 4096 divisible 4;

export fn window(x: f32[W]) -> (y: f32[W - 2], m: f32[W]) {
    y[p] = sum[r in 0..3](x[p + r]);
    m[p] = max[r in 0..3](pad(x[p + r - 1], -inf));
}

export fn heads(x: f16[T, H*D], H: int) -> (y: f16[H, T, D], z: f16[T, H*D]) {
    y[h, t, d] = x[t, h*D + d];
    z[t, c] = x[t, c / D * D + c % D];
}

export fn causal(x: f32[T]) -> (y: f32[T]) {
    y[t] = if t > 0 then x[t] - x[t - 1] else x[t];
}

export fn banded(x: f32[T], R: int) -> (y: f32[T]) {
    y[t] = sum[s in 0..T where t - R <= s && s <= t](x[s]);
}
