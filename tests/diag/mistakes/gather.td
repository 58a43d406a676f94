export fn f(ids: i32[T], w: f32[V, D]) -> (y: f32[T, D]) { y[t, d] = w[ids[t], d]; }
