// A broken declaration is left out with its body, and the next one is read.
fn missing_bracket(x: f32[N) -> (y: f32[N]) {   // expect error[E0209]: found `)`
    y[i] = x[i];
    let z = { ;
}
fn good_1(x) = x                                // expect error[E0208]: expected an operator or `;`, found `fn`
fn good_2(x) = x;
let y = 3;                                      // expect error[E0207]: expected a declaration, found `let`
}                                               
dim N in 1 + 2..3;                              // expect error[E0200]: expected `..` or `..=`, found `+`
dim N in 1..2 hint 3 hint 4;                    // expect error[E0201]: `hint` is given twice
dim N in 1..2 in 3..4 divisible 2 divisible 3;  // expect error[E0201]: `in` is given twice // expect error[E0201]: `divisible`
dim if;                                         // expect error[E0206]: expected a name, found `if`
fn generic<T: f32>(x: T) = x;                   // expect error[E0204]: `f32` is no kind of generic parameter
fn generic<T = f32>(x: T) = x;                  // expect error[E0200]: found `=`
fn generic<K: int = 1 + 2>(x) = x;              // expect error[E0200]: found `+`
fn inout_default(inout x: f32[N] = 0) = x;      // expect error[E0200]: found `=`
fn inout_scalar(inout x) = x;                   // expect error[E0200]: expected `:`
export a = softmax<f32>(x);                     // expect error[E0203]: comparisons do not chain
export 3;                                       // expect error[E0200]: expected a name or `fn`, found `3`
import nn;                                      // expect error[E0207]: expected a string, found `nn`
check f(N = 1) tol 1 tol 2;                     // expect error[E0201]: `tol` is given twice
check f(N = 1) error "a" error "b";             // expect error[E0201]: `error` is given twice
check f(N = 1) with x ~ 1, x in 0..1;           // expect error[E0201]: `x` is given twice
check f(N = 1) with x = 3;                      // expect error[E0200]: expected `~` or `in`, found `=`
check f(N = 1) foo;                             // expect error[E0200]: expected `;`, `with`, `tol`, or `error`, found `foo`
struct S { a: f32; b f32; c: f32; }             // expect error[E0002]: struct // expect error[E0200]: expected `:`, found `f32`
fn brace_forgotten(x) {
    let a = x;
fn good_3(x) = x;                               // expect error[E0207]: expected a statement or `}`, found `fn`
fn good_4(x) { return x; };                     // expect error[E0200]: expected a declaration, found `;`
fn end_of_file(x) { return x;                   // expect error[E0209]: expected a statement or `}`, found the end of the file
