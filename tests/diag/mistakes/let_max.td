export fn f(ids: i32[K]) -> (y: i32[N]) { assume 0 <= ids[k] && ids[k] < N; let w[ids[k]] max= k; y[n] = w[n]; }
