// Five mixtures of each token with the one before it.
export fn token_shift(x: bf16[B, T, D], mix: bf16[5, D]) -> (y: bf16[5, B, T, D]) {
    y[m, b, t, d] = x[b, t, d] + (pad(x[b, t - 1, d], 0) - x[b, t, d]) * mix[m, d];
}
check token_shift(B = 2, T = 7, D = 37);
bench token_shift(B = 4, T = 2048, D = 1536);
