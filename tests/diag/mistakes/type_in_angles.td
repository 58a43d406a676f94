fn copy<T>(x: T[N]) -> (y: T[N]) { y[i] = x[i]; }
export copy_f32 = copy<f32>();
