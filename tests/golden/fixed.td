// flags: -D N=1024
// A dimension that -D fixes is no argument.
export fn total(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[j](x[i, j]); }
