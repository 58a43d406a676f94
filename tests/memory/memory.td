// How much workspace programs need, at least: `// workspace ENTRY: BYTES`, at the sizes of the entry's last check, counted by hand
// (pieces begin at multiples of 256). The library's scratch does not count.
import "linalg";

// ---- chains of elementwise steps need none ----

// workspace chain_inout: 0
export fn chain_inout(inout p: f32[M, N], x: f32[M, N]) {
    let a[i, j] = p[i, j] * sigmoid(p[i, j]);
    let b: bf16[i, j] = a[i, j] + x[i, j] * a[i, j];
    let c[i, j] = f32(b[i, j]) * tanh(f32(b[i, j]));
    let d: f16[i, j] = c[i, j] / (1 + abs(c[i, j]));
    p[i, j] = f32(d[i, j]) * f32(d[i, j]) + 0.5;
}
check chain_inout(M = 12, N = 69);

// workspace chain_out: 0
export fn chain_out(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let a: bf16[i, j] = x[i, j] * sigmoid(x[i, j]);
    let b: bf16[i, j] = a[i, j] * a[i, j] + 1;
    let c: bf16[i, j] = b[i, j] / sqrt(f32(b[i, j]) + a[i, j] * a[i, j]);
    y[i, j] = c[i, j] * c[i, j] - a[i, j];
}
check chain_out(M = 12, N = 69);

// Steps of several outputs, and of rows: what a row needs stays in registers.
// workspace chain_two: 0
export fn chain_two(x: f32[M, N], w: f32[N]) -> (y: f32[M, N], z: f32[M, N]) {
    let a: bf16[i, j] = x[i, j] * w[j];
    let m[i] = max[j](f32(a[i, j]));
    let e[i, j] = exp(f32(a[i, j]) - m[i]);
    y[i, j] = e[i, j] / (1 + sum[k](e[i, k]));
    z[i, j] = e[i, j] * f32(a[i, j]);
}
check chain_two(M = 12, N = 69);

// ---- results in place of what they are made from ----

// The product lies where y will be.
// workspace in_output: 0
export fn in_output(x: f32[M, K], w: f32[N, K]) -> (y: f32[M, N]) {
    let t[i, j] = sum[k](x[i, k] * w[j, k]);
    let m[j] = max[i](t[i, j]);
    y[i, j] = exp(t[i, j] - m[j]);
}
check in_output(M = 12, N = 69, K = 33);

// The sum of all squares, of which there is one, is needed to the end. One block folds it.
// workspace beside_output: 256
export fn beside_output(x: f32[M, K], w: f32[N, K]) -> (y: f32[M, N]) {
    let t[i, j] = sum[k](x[i, k] * w[j, k]);
    let s = sum[i, j](t[i, j] * t[i, j]);
    y[i, j] = t[i, j] / s;
}
check beside_output(M = 300, N = 69, K = 5); // check-all

// The same in an inout, once the library has read it: t, and its product with w in p.
// workspace in_inout: 3328
export fn in_inout(inout p: f32[M, N], w: f32[N, N]) {
    let t[i, j] = sum[k](p[i, k] * w[j, k]);
    let u[i, j] = sum[k](t[i, k] * w[j, k]);
    let s = sum[i, j](u[i, j] * u[i, j]);
    p[i, j] = u[i, j] / s;
}
check in_inout(M = 12, N = 69);

// One temporary from another: t and u (4 M N) are one.
// workspace in_temporary: 3328
export fn in_temporary(x: f32[M, K], w: f32[N, K], v: f32[L, N]) -> (y: f32[M, L]) {
    let t[i, j] = sum[k](x[i, k] * w[j, k]);
    let m[j] = max[i](t[i, j]);
    let u[i, j] = exp(t[i, j] - m[j]);
    y[i, l] = sum[j](u[i, j] * v[l, j]);
}
check in_temporary(M = 12, N = 69, K = 33, L = 5);

// ---- outputs as scratch before they are written ----

// t is gone when z is written, which cannot stand at the address of v, of another type. Its largest element is needed
// to the end, as above.
// workspace in_later: 256
export fn in_later(x: f32[M, K], w: f32[N, K], v: bf16[M, N]) -> (z: f32[M, N]) {
    let t[i, j] = sum[k](x[i, k] * w[j, k]);
    let q = max[i, j](t[i, j]);
    z[i, j] = v[i, j] * q;
}
check in_later(M = 300, N = 69, K = 5);

// Of two outputs the later one is scratch for the first: t (4 M K bytes) lies in z.
// workspace in_second: 0
export fn in_second(x: f32[M, N], w: f32[K, N]) -> (y: bf16[M, K], z: f32[M, K]) {
    require M >= 1;
    let t[i, j] = sum[k](x[i, k] * w[j, k]);
    let m[j] = max[i](t[i, j]);
    y[i, j] = t[i, j] - m[j];
    z[i, j] = sum[k](y[i, k] * y[j % M, k]) + y[i, j];
}
check in_second(M = 12, N = 69, K = 33);

// An inout of which elements stay has no room for what comes before it is written.
export fn keeps(inout p: i32[N], inout q: i32[N], c: bool[N], inout s: f32[N]) {
    p[i] = 1 where c[i];
    q[i in N - 1] = 2;
    s[i] *= prod[j in 0..N, k in 0..N](1.0 + 0.05 * tanh(1.0 / (j + k + 1)));
    require N > 1, "two";
}
check keeps(N = 13);
