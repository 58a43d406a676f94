// A loop as in Rust.
export fn copy(x: f32[N]) -> (y: f32[N]) { for i in 0..N { y[i] = x[i]; } }
