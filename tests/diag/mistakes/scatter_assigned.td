export fn scatter(x: f32[N], p: i32[N]) -> (y: f32[N]) { assume 0 <= p[i] && p[i] < N; y[p[i]] = x[i]; }
