import nn;
export fn f(x: f32[M, N]) -> (y: f32[M, N]) { y = softmax(x); }
