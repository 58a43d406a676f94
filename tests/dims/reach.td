// What dim lines of this file say of names that exports take from other files. clause 3.5, clause 3.7
import "nn";
import "./elsewhere.td";
dim N in 10..=64000 hint 32000 divisible 2;
dim K hint 100;

export p = softmax(T = bf16, B = [M]);          // N of the library is this file's
export q = softmax(T = bf16, B = [M], N = K);   // so is K, and N is no name of q's
export fixed = softmax(T = bf16, B = [M], N = 8);
export theirs2 = theirs;                        // what both files say holds; the hint is this file's
fn inner(x: f32[L, K]) -> (y: f32[L]) { y[l] = sum[k](x[l, k]); }
export fn outer(x: f32[L, S]) -> (y: f32[L]) = inner(x); // the hint of K, which S has none
