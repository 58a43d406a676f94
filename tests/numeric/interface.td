// Names that C and CUDA have taken, requirements, scalars of every kind, results of rank 0, several entries, empty tensors.
dim int in 1..=4096 hint 1024 divisible 4;

export fn scaled(x: bf16[M, int], double: f32, steps: i32) -> (ctx: bf16[M, int], sums: f32[M]) {
    require M <= 2 * int, "at most two rows a column";
    require double > 0.0, "a positive scale";
    ctx[i, j] = double * x[i, j];
    sums[i] = sum[j](f32(x[i, j])) / f32(steps);
}
check scaled(M = 5, int = 8, double = 0.5, steps = 3);
check scaled(M = 0, int = 8, double = 0.5, steps = 3);
check scaled(M = 5, int = 8, double = -0.5, steps = 3) error "a positive scale";
check scaled(M = 17, int = 8, double = 0.5, steps = 3) error "at most two rows a column";
check scaled(M = 5, int = 6, double = 0.5, steps = 3) error "dimension int: expected a multiple of 4, got 6";
check scaled(M = 5, int = 4100, double = 0.5, steps = 3) error "dimension int: expected 1..=4096, got 4100";

export fn half(x: i64[2 * K]) -> (y: i64[K]) { y[i] = x[2 * i]; }
check half(K = 3);
check half(K = 0);

export fn kinds(n: i64, u: u32, s: i16, b: bool, h: f16, f: f64, x: f64[N]) -> (y: f64[], k: i64[]) {
    y[] = sum[i](if b then x[i] * f + f64(h) else x[i]);
    k[] = n + i64(u) + i64(s);
}
check kinds(N = 7, n = 4503599627370497, u = 4000000000, s = -3, b = 1, h = 0.1, f = 0.3);
check kinds(N = 0, n = -1, u = 0, s = 1, b = 0, h = 0.0, f = 1.0);

export fn register(grid: f32[block, warp], lane: f32[warp]) -> (arg: f32[block], args: f32[block, warp]) {
    arg[r] = max[n](grid[r, n] + lane[n]);
    args[r, n] = grid[r, n] - lane[n];
}
check register(block = 3, warp = 33);
