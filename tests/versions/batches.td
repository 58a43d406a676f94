// Elements under tests, of which a thread has more than it holds apart at a time.
export fn pool(x: f16[N, H, W]) -> (y: f16[N, H, W]) {
    y[n, i, j] = max[r in 0..3, s in 0..3 where 0 <= i + r - 1 && i + r - 1 < H && 0 <= j + s - 1 && j + s - 1 < W](
        x[n, i + r - 1, j + s - 1]);
}
check pool(N = 19, H = 5, W = 70);
check pool(N = 8, H = 1, W = 1);
check pool(N = 0, H = 3, W = 3);
