// clause 10.5: functions of the host: learning rates, sizes, flags; every type of result; the same functions inlined in kernels.
fn half_cosine(t) = 0.5 * (1 + cos(3.141592653589793 * t));

export fn lr(step: i32, warmup: i32, total: i32, peak: f32 = 1e-3) -> f32 {
    let up = f32(step) / f32(warmup);
    let t = f32(step - warmup) / f32(total - warmup);
    return peak * (if step < warmup then up else half_cosine(clamp(t, 0.0, 1.0)));
}

export fn padded(n: int, block: i32 = 128) -> i64 = (n + block - 1) / block * block;
export fn wraps(a: i32, b: i32) -> i32 = a * b + (a << 3) - (-7 / b) * (a % b);
export fn byte(x: f32) -> u8 = u8(x);
export fn nibble(x: f32) -> i4 = i4(x);
export fn rounded(x: bf16, y: f16) -> f16 = x * y + f32(bf16(y));
export fn narrow(x: f32) -> f8e4m3 = x * 3;
export fn wide(x: f64, s: i64) -> f64 = lgamma(x) + digamma(x) * sigmoid(-x) + f64(random(s, 1, 7)) + x % 0.75;
export fn is_last(step: i32, n: int) -> bool = step + 1 == n || isnan(f32(step));
export fn power(x: f64) -> f64 { let a = x * x; let b = a * a - 1; let c = b * b - a; return c * c * c + max(a, b); }

export fn adjust(x: f32[N], step: i32) -> (y: f32[N]) { y[n] = x[n] * lr(step, 10, 100); }

check lr(step = 3, warmup = 10, total = 100);
check lr(step = 57, warmup = 10, total = 100, peak = 0.5);
check padded(n = 1000);
check padded(n = 0, block = 7);
check wraps(a = 123456, b = 654321);
check wraps(a = -5, b = 3);
check byte(x = 255.9);
check byte(x = -3.0);
check byte(x = 100.7);
check nibble(x = -7.5);
check rounded(x = 1.2345, y = 3.3333);
check rounded(x = 300.0, y = 300.0);
check rounded(x = 1e-4, y = 1e-4);
check narrow(x = 0.3333);
check narrow(x = 1000.0);
check wide(x = 0.3, s = 12345);
check wide(x = -2.6, s = -1);
check is_last(step = 9, n = 10);
check is_last(step = 8, n = 10);
check power(x = 1.25);
check adjust(N = 37, step = 20);
