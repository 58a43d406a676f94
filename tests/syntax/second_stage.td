// The words of the second stage are read, kept in the tree, and answered with "not yet".
export f_bwd = vjp(f, (x, w), given = (mean, inv));              // expect error[E0002]: not yet: `vjp`
fn last(h, w) = fold[l in 0..L, h = x](block(h, w[l, ...]));     // expect error[E0002]: `fold`
fn all(h, w) = scan[l in 0..L, (h) = x](block(h));               // expect error[E0002]: `scan` // expect error[E0200]: found `=`
fn carries(w) = scan[l in 0..L, s = (a, b)](step(s, w[l, ...])); // expect error[E0002]: `scan`
export adamw_all = foreach(adamw, each = (wd));                  // expect error[E0002]: `foreach`
struct Block<T> { w: T[D, D]; b: T[D]; }                         // expect error[E0002]: `struct`
struct Empty { }                                                 // expect error[E0002]: `struct`
extern fn f(x: f32[N]) -> (y: f32[N]) = "symbol";                // expect error[E0002]: `extern`
dim L ragged;                                                    // expect error[E0002]: `ragged`
dim S in 1..8 shard;                                             // expect error[E0002]: `shard`
fn lists(x: f32[B, ragged L, D]) = x;                            // expect error[E0002]: `ragged`
fn layers(p: Block(T)[L]) = p;
fn sharing(x, args) {
    let (y, dx) = vjp(f, x)(args, d_y = 1.0);                    // expect error[E0002]: `vjp`
}
