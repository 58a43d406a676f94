// A box of each image of a batch becomes noise, in place; channels last.
export fn random_erase(inout x: bf16[N, H, W, C], box: i16[N, 4], seed: i64) {
    x[n, i, j, c] = random(seed, 3, ((n*H + i)*W + j)*C + c) - 0.5
        where i >= box[n, 0] && i < box[n, 2] && j >= box[n, 1] && j < box[n, 3];
}
check random_erase(N = 3, H = 9, W = 11, C = 3, seed = 7) with box in 0..10;
bench random_erase(N = 64, H = 384, W = 384, C = 3, seed = 7) with box in 0..300;
