export fn f(ids: i32[T], w: f32[V]) -> (y: f32[T]) { require ids[t] < V; y[t] = w[ids[t]]; }
