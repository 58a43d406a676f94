export fn f(x: i64[N]) -> (y: i32[N]) { y[i] = x[i]; }
