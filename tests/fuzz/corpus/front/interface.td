// The C interface: constraints, requirements, scalars, names that C has taken, several entries.
dim int in 1..=4096 hint 1024 divisible 4;

export fn scaled(x: bf16[M, int], double: f32, steps: i32) -> (ctx: bf16[M, int], sums: f32[M]) {
    require M <= 2 * int, "at most two rows a column";
    require double > 0.0, "a positive scale";
    ctx[i, j] = double * x[i, j];
    sums[i] = sum[j](f32(x[i, j])) / f32(steps);
}

export fn half(x: i64[2 * K]) -> (y: i64[K]) { y[i] = x[2 * i]; }
