export fn f(x: f32[N], ids: i32[N]) -> (y: f32[M]) { assume 0 <= ids[n] && ids[n] < M; y[ids[n]] = x[n]; }
