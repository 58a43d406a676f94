fn f<T>(x: T[A..., N, B...]) -> (y: T[A..., N, B...]) { y[a..., n, b...] = x[a..., n, b...]; }
export g = f(T = f32, A = [M], B = [K]);
