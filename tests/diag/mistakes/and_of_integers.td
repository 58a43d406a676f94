export fn both(a: i32[N], b: i32[N]) -> (y: bool[N]) { y[i] = a[i] && b[i]; }
