// Two letters changed places in a function that is no operator.
export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = clmap(x[i], 0, 1); }
