export fn f(x: u64[N]) -> (y: u64[N]) { y[i] = x[i]; }
