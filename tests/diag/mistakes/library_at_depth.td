import "nn";
fn scores<T>(x: T[M, N]) -> (y: f32[M, N]) { y = softmax(x); }
fn twice<T>(x: T[M, N]) -> (y: f32[M, N]) { y = scores(x); }
export fn f(x: i32[M, N]) -> (y: f32[M, N]) { y = twice(x); }
