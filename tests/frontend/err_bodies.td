// Bodies, formal variables and exports of forms that have no meaning.
dim M in 1..=99;
dim N in 1..=99;
reduce weird[k in 0..3](e) = sum[k](e);         // expect error[E0212]: a formal variable is a name
reduce pairs[a, b](e) = sum[a, b](e);
fn square(x) { require x > 0; return x * x; }   // expect error[E0204]: lets without subscripts, then return
fn rows(x: f32[N]) { let e[n] = exp(x[n]); return sum[n](e[n]); }  // expect error[E0204]: lets without subscripts
fn named(x: f32[N]) -> f32[N] = x[0];           // expect error[E0204]: a result that is a tensor has a name
fn two(x) { let (a, b) = (x, 2); let (c, d) = x; return a + b + c + d; }  // expect error[E0411]: fewer values
fn id(x: f32[N]) -> (y: f32[N]) = x;
fn elem(x: f32[N]) -> (y: f32[N]) = x[0] + 1;   // expect error[E0413]: one element stands where a whole tensor
export lit = 3;                                 // expect error[E0204]: an export is an instance of a function
export called = id(x)(y);                       // expect error[E0422]: this is no function

export fn uses(x: f32[M, N]) -> (y: f32[M], z: f32[M], w: f32[M], v: f32[N], u: f32[N]) {
    y[m] = weird[j](x[m, j]);
    z[m] = pairs[j](x[m, j]);                   // expect error[E0405]: pairs takes 2 variables, these are 1
    w[m] = rows(x[m, ...]) + named(x[m, ...]) + two(x[m, 0]) + square(x[m, 0]);
    v = id(x[0, ...])(x);                       // expect error[E0422]: this is no function
    u = elem(x[0, ...]);
}
export fn whole(x: f32[M, N]) -> (y: f32[M, N]) {
    y = relu(x);                                // expect error[E0413]: relu gives one element, not a tensor
}
