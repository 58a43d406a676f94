export fn f<T>(x: T[N]) -> (y: T[N]) { y[i] = x[i]; }
