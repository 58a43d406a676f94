// clause 10.2, every way to define outputs: in each entry a is x + 1 and b is 2 * x + 2, whatever defines them and in
// whichever order that happens. arguments.py compares C's order of arguments with the line above each entry, and calls
// the compiled model with arguments in that order.
import "./imported.td";

fn two(x: f32[N]) -> (a: f32[N], b: f32[N]) { b[n] = 2 * x[n] + 2; a[n] = b[n] / 2; }
fn swapped(x: f32[N]) -> (b: f32[N], a: f32[N]) { a[n] = x[n] + 1; b[n] = 2 * a[n]; }
fn one(x: f32[N]) -> (y: f32[N]) { y[n] = x[n] + 1; }
fn twice(x: f32[N]) -> (y: f32[N]) { y[n] = 2 * x[n]; }
fn generic<T, k: int = 1>(x: T[N]) -> (a: T[N], b: T[N]) { b[n] = 2 * x[n] + 2 * k; a[n] = b[n] / 2; }
fn advance(inout p: f32[N], x: f32[N]) -> (b: f32[N]) { p[n] = x[n] + 1; b[n] = 2 * new(p)[n]; }
reduce both[k](e) { return sum[k](e) + 1, 2 * sum[k](e) + 2; }

// x, a, b; N
export fn equations(x: f32[N]) -> (a: f32[N], b: f32[N]) { a[n] = x[n] + 1; b[n] = 2 * x[n] + 2; }
// x, a, b; N
export fn later_first(x: f32[N]) -> (a: f32[N], b: f32[N]) { b[n] = 2 * x[n] + 2; a[n] = x[n] + 1; }
// x, a, b; N
export fn reads_second(x: f32[N]) -> (a: f32[N], b: f32[N]) { b[n] = 2 * x[n] + 2; a[n] = b[n] / 2; }
// x, b, a; N
export fn reads_first(x: f32[N]) -> (b: f32[N], a: f32[N]) { b[n] = 2 * a[n]; a[n] = x[n] + 1; }
// x, a, b; N
export fn tuple(x: f32[N]) -> (a: f32[N], b: f32[N]) { (a, b) = two(x); }
// x, b, a; N
export fn tuple_turned(x: f32[N]) -> (b: f32[N], a: f32[N]) { (a, b) = two(x); }
// x, a, b; N
export fn from_swapped(x: f32[N]) -> (a: f32[N], b: f32[N]) { (b, a) = swapped(x); }
// x, a, b; N
export fn value(x: f32[N]) -> (a: f32[N], b: f32[N]) = two(x);
// x, a, b; N
export alias = two;
// x, b, a; N
export alias_swapped = swapped;
// x, a, b; N
export again = tuple;
// x, a, b; N
export instance = generic(T = f32);
// x, a, b; M
export renamed = generic(T = f32, N = M, k = 1);
// x, a, b; N
export other_file = imported;
// x, a, b; N
export fn parts(x: f32[N]) -> (a: f32[N], b: f32[N]) { (_, b) = two(x); a = one(x); }
// x, a, b; N
export fn nested(x: f32[N]) -> (a: f32[N], b: f32[N]) { b = twice(one(x)); a[n] = b[n] / 2; }
// x, a, b; N
export fn through_lets(x: f32[N]) -> (a: f32[N], b: f32[N]) { let (s, t) = two(x); b = t; a = s; }
// x, a, b; N
export fn branches(x: f32[N]) -> (a: f32[N], b: f32[N]) { b[n] = 2 * a[n] where n > 3; b[n] = 2 * a[n] where n <= 3; a = one(x); }
// x, a, b; N
export fn pieces(x: f32[N]) -> (a: f32[N], b: f32[N]) { b[0] = 2 * a[0]; b[n in 1..N] = 2 * a[n]; a = one(x); require N >= 1; }
// x, a, b; N
export fn sums(x: f32[N]) -> (a: f32[N], b: f32[N]) { b[n] += a[n]; b[n] += a[n]; a = one(x); }
// x, a, b; N
export fn reductions(x: f32[N]) -> (a: f32[N], b: f32[N]) { (b[n], a[n]) = swapped_both[k in 0..1](x[n] + 0 * k); }
// x, a, b; N
export fn reduction_in_order(x: f32[N]) -> (a: f32[N], b: f32[N]) { (a[n], b[n]) = both[k in 0..1](x[n] + 0 * k); }
// x, a, b; N
export fn sliced(x: f32[N]) -> (a: f32[N], b: f32[N]) { let r[i in 1, n in N] = x[n]; b[n] = two_rows(r[0, ...])[n]; a[n] = b[n] / 2; }
// x, a, b, c; N
export fn three(x: f32[N]) -> (a: f32[N], b: f32[N], c: f32[N]) { c = twice(b); (a, b) = two(x); }
// p, x, b; N
export fn updates(inout p: f32[N], x: f32[N]) -> (b: f32[N]) { b = advance(p, x); }
// p, x, b; N
export updated = advance;
// x, p, b; N
export fn update_between(x: f32[N], inout p: f32[N]) -> (b: f32[N]) { b = advance(p, x); }

reduce swapped_both[k](e) { return 2 * sum[k](e) + 2, sum[k](e) + 1; }
fn two_rows(x: f32[N]) -> (b: f32[N]) { b[n] = 2 * x[n] + 2; }

check equations(N = 5); check later_first(N = 5); check reads_second(N = 5); check reads_first(N = 5);
check tuple(N = 5); check tuple_turned(N = 5); check from_swapped(N = 5); check value(N = 5); check alias(N = 5);
check alias_swapped(N = 5); check again(N = 5); check instance(N = 5); check renamed(M = 5); check other_file(N = 5);
check parts(N = 5); check nested(N = 5); check through_lets(N = 5); check branches(N = 5); check pieces(N = 5);
check sums(N = 5); check reductions(N = 5); check reduction_in_order(N = 5); check sliced(N = 5); check three(N = 5);
check updates(N = 5); check updated(N = 5); check update_between(N = 5);
