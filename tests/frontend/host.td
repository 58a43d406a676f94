// Functions of the host: one value of scalars and dimensions by value, also as an instance of a generic function.
fn warm<T>(step: i32, n: int, peak: T = 1e-3) -> T {
    let t = f32(step) / n;
    return peak * min(t, 1);
}
export lr = warm(T = f32);
export lr16 = warm(T = bf16, n = 100);
export fn tiles(n: int, tile: i32 = 128) = (n + tile - 1) / tile;
