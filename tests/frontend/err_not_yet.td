// What is read but has no meaning yet.
struct Block<T> { w: T[D, D]; b: T[D]; }              // expect error[E0002]: not yet: `struct`
extern fn mine(x: f32[N]) -> (y: f32[N]) = "symbol";  // expect error[E0002]: not yet: `extern`

fn add(x: f32[N], inout y: f32[N]) -> (z: f32[N]) {
    z[i] = x[i] + y[i];
}

export add_bwd = vjp(add, (x));                       // expect error[E0002]: not yet: `vjp`
export add_all = foreach(add);                        // expect error[E0002]: not yet: `foreach`

export fn recur(x: f32[L, N]) -> (y: f32[N]) {
    y[n] = fold[l in 0..L, h = 0.0](h + x[l, n]);     // expect error[E0002]: not yet: `fold`
}
