// Calls whose arguments do not fit.
fn norm<T>(x: T[B..., N], gain: T[N], eps: f32 = 1e-5) -> (y: T[B..., N]) {
    let ms[b...] = mean[n](x[b..., n] * x[b..., n]);
    y[b..., n] = x[b..., n] * rsqrt(ms[b...] + eps) * gain[n];
}
fn halves(x: f32[2*N]) -> (a: f32[N], b: f32[N]) {
    a[i] = x[i];
    b[i] = x[N + i];
}
fn one_hot(ids: i64[N]) -> (y: f32[N, C]) {
    y[n, c] = if ids[n] == c then 1.0 else 0.0;
}
fn forever(x: f32[N]) -> (y: f32[N]) {
    y = forever(x);                       // expect error[E0714]: forever calls itself
}
fn twice(x: f32) -> f32 = twice(x) * 2.0; // expect error[E0714]: twice calls itself

export fn shapes(x: f32[M, N], g: f32[M]) -> (y: f32[M, N]) {
    y = norm(x, g);                       // expect error[E0501]: dimension 0 of gain must be N, but is M
}
export fn ranks(x: f32[M, N], g: f32[N]) -> (y: f32[M, N]) {
    y = norm(g, x);                       // expect error[E0508]: gain has 1 dimensions, the argument has 2
}
export fn few(x: f32[M, N]) -> (y: f32[M, N]) {
    y = norm(x);                          // expect error[E0409]: norm needs an argument for gain
}
export fn named(x: f32[M, N], g: f32[N]) -> (y: f32[M, N]) {
    y = norm(x, g, epsilon = 1e-3);       // expect error[E0307]: norm has no parameter or dimension epsilon
}
export fn results(x: f32[2*N]) -> (y: f32[N]) {
    y = halves(x);                        // expect error[E0411]: halves has 2 results
}
export fn three(x: f32[2*N]) -> (y: f32[N]) {
    let (a, b, c) = halves(x);            // expect error[E0411]: halves has 2 results for 3 names
    y[i] = a[i] + b[i] + c[i];
}
export fn dims(ids: i64[N]) -> (y: f32[N, 10], z: f32[N, 10]) {
    y = one_hot(ids, C = 10);
    z = one_hot(ids);                     // expect error[E0502]: C
}
export fn narrow(x: f64[2*N]) -> (y: f32[N]) {
    let (a, b) = halves(x);               // expect error[E0401]: x is f32[...], the argument is f64[...]
    y[i] = a[i] + b[i];
}
export fn loops(x: f32[N]) -> (y: f32[N], z: f32[N]) {
    y = forever(x);
    z[i] = twice(x[i]);
}
export fn elements(x: f32[N]) -> (y: f32[N], z: f32[N]) {
    y[i] = halves(x);                     // expect error[E0412]: halves gives a tensor
    z = twice(x);                         // expect error[E0413]: twice gives one element
}
