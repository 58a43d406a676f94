export fn embed(ids: i32[T], w: f16[V, D]) -> (y: f16[T, D]) { y[t, d] = w[ids[t], d]; }
