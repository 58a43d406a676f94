// A statement, or a declaration, that begins with a word that is none.
exprt fn f(x: f32[N]) -> (y: f32[N]) { // expect error[E0200]: expected a declaration, found `exprt`
}
fn g(x: f32[N]) -> (y: f32[N]) {
    asume x[0] <= 1;                   // expect error[E0200]: expected `=`
    lett z[i] = x[i];                  // expect error[E0200]: expected `=`
    require N > 1 x;                   // expect error[E0200]: found `x`
    y[i] = x[i];
}
chek f(N = 1);                         // expect error[E0200]: expected a declaration, found `chek`
