// A number of any sign as a dimension.
export fn tril(x: f32[M, N], diagonal: int) -> (y: f32[M, N]) { y[i, j] = if j <= i + diagonal then x[i, j] else 0.0; }
check tril(M = 3, N = 4, diagonal = -1);
