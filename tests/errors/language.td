// What docs/language.md calls an error, clause by clause; beside each what is legal.

// clause 2.2, 6.11, 6.14
export fn whole(x: f32[N], k: i32[], s: f32) -> (y: f32[N], z: f32[N], u: f32[N]) {
    y[i] = x + s;                             // expect error[E0412]: x is a whole tensor
    z[i] = x[i] + s[];                        // expect error[E0406]: s is not a tensor
    u[i] = if k[] then x[i] else s;           // expect error[E0403]: a condition is bool
}
// clause 3.2
fn grid(x: f32[P*Q]) -> (y: f32[P]) { y[i] = sum[j in 0..Q](x[i*Q + j]); }
export fn unsolved(x: f32[6*N]) -> (y: f32[2*N], z: f32[2*N]) {
    y = grid(x);                              // expect error[E0502]: 
    z = grid(x, Q = 3);
}
// clause 3.3
fn dot(a: f32[N], b: f32[N]) -> (y: f32[]) { y[] = sum[n](a[n] * b[n]); }
export fn unequal(a: f32[N], c: f32[M]) -> (y: f32[]) {
    y = dot(a, c);                            // expect error[E0501]: 
}
// clause 4.1
fn narrow(x: f32) -> f32 = x;
export fn narrowed(x: f64[N]) -> (y: f64[N]) {
    y[i] = narrow(x[i]);                      // expect error[E0401]: f64
}
// clause 4.9
fn forever(x: f32) -> f32 = again(x);
fn again(x: f32) -> f32 = forever(x);         // expect error[E0714]: 
export fn loops(x: f32[N]) -> (y: f32[N]) {
    y[i] = forever(x[i]);
}
// clause 4.7, 4.8
fn sgd(inout w: f32[N], g: f32[N]) { w[n] = w[n] - g[n]; }
fn pure(g: f32[N]) -> (y: f32[N]) { y[n] = g[n]; }
export fn calls(inout w: f32[N], inout v: f32[2, N], g: f32[N]) {
    sgd(v[0, ...], g);                        // expect error[E0715]: 
    sgd(w, g);
    pure(g);                                  // expect error[E0712]: this call defines nothing
}
// clause 5.3
export fn begins(x: f32[N]) -> (y: f32[N]) {
    let t[i in 1..N] = x[i];                  // expect error[E0607]: begins at 0
    y[i] = t[i];
}
export fn left_ranges(x: f32[N]) -> (y: f32[N, N + 4], z: f32[N, N], w: f32[N, N]) {
    y[i, 4 + i in N] = x[i];                  // expect error[E0708]: i stands twice
    z[i in N, i in N] = x[i];                 // expect error[E0708]: i stands twice
    let p[b... in N] = 1.0;                   // expect error[E0204]: the range of a pack is a pack of dimensions or a list
    w[b... in [N]] = x[b...];                 // expect error[E0500]: w has 2 dimensions here, the range has 1
    y[i, k] = p[i];
}
// clause 5.4, 5.5
export fn parts(x: f32[N], inout c: f32[T, N], pos: int) -> (y: f32[N], z: f32[N, N]) { // expect error[E0703]: cannot prove that the pieces of y cover it
    y[i] = x[i] where i > 0;
    z[i, i] = x[i];                           // expect error[E0708]: i stands twice
    c[pos, d] = x[d];                         // expect error[E0606]: 
}
// clause 5.6
export fn once(x: f32[N]) -> (y: f32[N], z: f32[N]) { // expect error[E0701]: the output z is not defined
    let idle[i] = x[i];                       // expect warning[W0705]: idle is never used
    y[i] = x[i];
    y[i] = -x[i];                             // expect error[E0702]: disjoint
}
export fn cycle(x: f32[N]) -> (y: f32[N]) {
    let a[i] = b[i] + x[i];                   // expect error[E0700]: a is needed for its own definition
    let b[i] = a[i];
    y[i] = b[i];
}
// clause 5.8
export fn mixes(x: f32[N]) -> (y: f32[N], z: f32[N]) {
    y[i] = x[i];
    y[i] += 1.0;                              // expect error[E0709]: 
    z[i] += x[i];
    z[i] *= x[i];                             // expect error[E0709]: z is updated by *= here and by += elsewhere
}
// clause 5.11, 5.12
export fn hides(x: f32[N], i: f32[N]) -> (y: f32[N], z: f32[N]) {
    y[i] = x[i];                              // expect warning[W0302]: i hides the tensor
    z[j] = x[k] * i[j];                       // expect error[E0309]: nothing binds the index variable k
}
// clause 6.3, 6.4, 6.6
export fn quotients(x: f32[N], k: i32[N]) -> (y: f32[N], z: i32[N], u: f32[N], w: f32[N]) {
    y[i] = x[i] * (k[i] / 2);                 // expect error[E0402]: an integer quotient
    z[i] = k[i] / 0;                          // expect error[E0418]: division of an integer by zero
    u[i] = x[i] & 1;                          // expect error[E0420]: 
    w[i] = x[i] * (f32(k[i]) / 2);
}
// clause 6.9
export fn widening(x: f32[N], k: i64[N], d: f64[N]) -> (y: f32[N], z: i32[N], u: f32[N]) {
    y[i] = x[i] + k[i];                       // expect error[E0400]: i64
    z[i] = k[i];                              // expect error[E0401]: i64 does not become i32
    u[i] = d[i] + x[i] * (i + 1);
}
// clause 7.6, 7.8
export fn reductions(x: f32[N], p: bool[N]) -> (y: i64[], z: bool[], u: i32[]) {
    y[] = argmax[i, j](x[i] * x[j]);          // expect error[E0405]: argmax takes one variable
    z[] = any[i](x[i]);                       // expect error[E0415]: 
    u[] = sum[i](p[i]);
}
// clause 8.2, 8.3, 8.4
export fn ranges(x: f32[N], w: f32[M]) -> (y: f32[], z: f32[], u: f32[N], v: f32[N]) {
    y[] = sum[k](x[k] * w[k]);                // expect error[E0601]: 0..N and 0..M
    z[] = sum[k](x[2 * k]);                   // expect error[E0600]: nothing says how far k runs
    u[i] = x[i + 1];                          // expect error[E0602]: beyond N
    v[i] = if i + 1 < N then x[i + 1] else 0;
}
// clause 8.6, 8.7
export fn data(x: f32[N], t: i32[M]) -> (y: f32[M], z: f32[M], u: f32[M]) {
    y[m] = x[t[m]];                           // expect error[E0605]: x[t[m]]
    z[m] = sum[j in 0..t[m]](1.0);            // expect error[E0603]: nothing bounds
    u[m] = pad(x[t[m]], 0);
}

// A reduction of several results where one is needed, and a range beside arithmetic.
reduce two_parts[k](e) { let m = max[k](e); return m, sum[k](e - m); }
export fn one_of_two(x: f32[N]) -> (y: f32[]) {
    y[] = two_parts[k](x[k]); // expect error[E0411]: two_parts has 2 results, here one is needed
}
export fn any_sign(x: f32[N], shift: int) -> (y: f32[N]) { y[i] = x[i] * shift; }
check any_sign(N = 3, shift = -1); // expect error[E0801]: shift = -1: a dimension is not negative
