// A dim line that nothing has is reported where it stands. clause 3.5, clause 10.2
import "nn";
dim Q hint 8; // expect warning[W0313]: no function of this file has a dimension Q
dim R in 1..=8; // expect warning[W0313]: R
dim M, NN, N; // expect warning[W0313]: no export has a dimension NN
dim x divisible 4; // expect warning[W0313]: x
dim K hint 8;
dim M hint 4096;
dim L hint 8;
dim N hint 64;
export fn f(x: f32[M], K: int) -> (y: f32[M]) { y[m] = x[m] * K; }
fn unused(x: f32[L]) -> (y: f32[L]) { y[l] = x[l]; }
fn inner(x: f32[S]) -> (y: f32[S]) { y = softmax(x); }
export p = softmax(T = f32, B = [M]);
export q = softmax(T = f32, B = [M], N = 8);
