// Several errors in one run: each broken statement is left out, and the rest is read.
fn body(x: f32[N]) -> (y: f32[N]) {
    let a[i] = x[i] + ;                 // expect error[E0200]: expected an expression, found `;`
    let b[i] = x[i] * / 2;              // expect error[E0200]: expected an expression, found `/`
    let c[i] = x[i] < 1 < 2;            // expect error[E0203]: comparisons do not chain
    let d[i] = x[i] == 1 != 2;          // expect error[E0203]: comparisons do not chain
    let e[i = x[i];                     // expect error[E0209]: expected
    let f[i] x[i];                      // expect error[E0200]: expected `=`
    let 3 = x;                          // expect error[E0200]: expected a name or `(`, found `3`
    let scan = x;                       // expect error[E0206]: found `scan`
    y[i] -= 3;                          // expect error[E0202]: `-=` is no assignment
    y[i] sum= 3;                        // expect error[E0202]: `sum=` is no assignment
    y[i] = (x[i];                       // expect error[E0209]: expected an operator, `)`, or `,`, found `;`
    y[i] = x[i);                        // expect error[E0209]: found `)`
    y[i] = if x[i] > 0 then 1;          // expect error[E0207]: expected an operator or `else`, found `;`
    y[i] = sum[k where](x);             // expect error[E0200]: expected an expression, found `]`
    y[i] = (x)[i];                      // expect error[E0200]: expected `;`, found `[`
    x[i];                               // expect error[E0200]: found `;`
    return;                             // expect error[E0200]: expected an expression, found `;`
    require x, y;                       // expect error[E0200]: expected a string, found `y`
    option matmul = f32 | bf16;         // expect error[E0200]: expected `;`, found `|`
    y[i] = f32[x](3, ,);                // expect error[E0200]: expected an expression
    y[i] = { x };                       // expect error[E0207]: expected an expression, found `{`
    y[i] = x[i]                         // expect error[E0208]: expected `;`, found `}`
}
fn good(x) = x;
