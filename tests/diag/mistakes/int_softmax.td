import "nn";
export fn f(x: i32[M, N]) -> (y: f32[M, N]) { y = softmax(x); }
