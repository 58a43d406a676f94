// random(seed, stream, counter): the same numbers on every device, and again in a backward pass.
export fn uniform(seed: i64, stream: i64) -> (y: f32[N]) {
    y[n] = random(seed, stream, n);
}
export fn far(seed: i32, start: i64) -> (y: f32[N]) {
    y[n] = random(seed, -3, start + 7 * n);
}
export fn dropout(x: bf16[M, N], p: f32, seed: i64) -> (y: bf16[M, N]) {
    let keep[m in M, n in N] = random(seed, 0, flat(m, n)) >= p;
    y[m, n] = if keep[m, n] then x[m, n] / (1.0 - p) else 0.0;
}
export fn dropout_grad(dy: bf16[M, N], p: f32, seed: i64) -> (dx: bf16[M, N]) {
    dx[m, n] = if random(seed, 0, flat(m, n)) >= p then dy[m, n] / (1.0 - p) else 0.0;
}
export fn normal(seed: i64) -> (y: f32[N]) {
    y[n] = sqrt(-2.0 * log(1.0 - random(seed, 1, 2 * n))) * cos(6.2831855 * random(seed, 1, 2 * n + 1));
}
export fn moments(seed: i64) -> (mean1: f32[], mean2: f32[]) {
    let u[n in 0..20000] = random(seed, 2, n);
    mean1[] = mean[n](u[n]);
    mean2[] = mean[n](u[n] ** 2);
}
check uniform(N = 1001, seed = 0, stream = 0);
check uniform(N = 33, seed = -1, stream = 5);
check far(N = 130, seed = -7, start = 4294967290);
check far(N = 130, seed = 7, start = -100);
check dropout(M = 7, N = 129, p = 0.3, seed = 42);
check dropout_grad(M = 7, N = 128, p = 0.3, seed = 42);
check normal(N = 257, seed = 3);
check moments(seed = 1);
check uniform(N = 0, seed = 0, stream = 0);
