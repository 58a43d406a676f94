// Exponentials under their maximum: sums of them and 16-bit results may lose digits of what is small beside 1, nothing else.
// clause 9.11
import "nn";

/// Two elements: the sum is 1 and the exponential of the difference, so its error is that of the exponential.
export fn pair(d: f32[M]) -> (z: f32[M], w: f32[M]) {
    let a[i, j in 2] = if j == 0 then 1024.0 else 1024.0 - 0.25 * f32(i) - round(abs(d[i]));
    let m[i] = max[j](a[i, j]);
    z[i] = sum[j](exp(a[i, j] - m[i]));
    w[i] = sum[j](exp2(a[i, j] - m[i]));
}
check pair(M = 400) tol 2e-7;

/// Rows of every length, far from 0; the sum of long rows has as many terms.
dim N hint 1024;
export fn rows(x: bf16[M, N], c: f32) -> (z: f32[M], y: bf16[M, N], l: f32[M]) {
    let a[i, j] = x[i, j] * 3 + c;
    let m[i] = max[j](a[i, j]);
    z[i] = sum[j](exp(a[i, j] - m[i]));
    y[i, j] = exp(a[i, j] - m[i]) / z[i];
    l[i] = m[i] + log(z[i]);
}
check rows(M = 3, N = 1, c = 1000) tol 5e-3;
check rows(M = 3, N = 37, c = -70000) tol 5e-3;
check rows(M = 2, N = 4096, c = 0) tol 5e-3;
check rows(M = 2, N = 5003, c = 12.5) tol 5e-3;

/// Infinities and NaN are where the equations have them: rows of -inf, with an inf, with a NaN, of one value.
export fn special(x: f32[M, N]) -> (z: f32[M], y: f16[M, N]) {
    let a[i, j] = if i % 5 == 0 then -inf else if i % 5 == 1 && j == 3 then inf else if i % 5 == 2 && j == 1 then nan
        else if i % 5 == 3 then -3e38 * f32(j) else x[i, j];
    let m[i] = max[j](a[i, j]);
    z[i] = sum[j](exp(a[i, j] - m[i]));
    y[i, j] = exp(a[i, j] - m[i]) / z[i];
}
check special(M = 11, N = 7);
check special(M = 11, N = 1300);

/// Not so: the result is stored in f32, the maximum is another one, what is summed is something else. All digits are there.
export fn digits(x: f32[M, N], q: f32[M, N]) -> (e: f32[M, N], s: f32[M], t: f32[M], u: f32[M]) {
    let m[i] = max[j](x[i, j] * 20);
    let o[i] = max[j](q[i, j]);
    let h[i] = max[j where j % 2 == 0](x[i, j] * 20);
    e[i, j] = log(exp(x[i, j] * 20 - m[i]) + 1e-38) * 1.5;
    s[i] = sum[j](exp(x[i, j] - 90 - abs(o[i])) * 1e38);
    t[i] = sum[j where j % 2 == 1](exp(x[i, j] * 20 - m[i])) * 1e4;
    u[i] = sum[j where x[i, j] < 0](exp(x[i, j] * 20 - h[i]));
}
check digits(M = 5, N = 64) tol 3e-6;
check digits(M = 5, N = 1000) tol 3e-6;

/// Rounded to 16 bits by itself, or beside constants: any exponential, far from 0 too.
export fn few(x: f32[M, N], t: i64[M]) -> (p: bf16[M, N], h: f16[M, N]) {
    let l[i] = lse[k](x[i, k] * 20);
    p[i, j] = (exp(x[i, j] * 20 - l[i]) - (if j == t[i] then 1.0 else 0.0)) / 7;
    h[i, j] = exp2(x[i, j] * 3 - 2) * 0.5 + 1;
}
check few(M = 5, N = 37) with t in 0..37 tol 5e-3;
check few(M = 3, N = 1000) with t in -3..1003 tol 5e-3;

/// Sigmoids that are rounded to 16 bits, by name and by hand, far from 0 too, and infinite ones.
export fn gates(x: f32[M, N]) -> (p: bf16[M, N], h: f16[M, N], g: bf16[M, N]) {
    let a[i, j] = if j % 17 == 3 then -inf else if j % 17 == 5 then inf else x[i, j] * 30;
    p[i, j] = sigmoid(a[i, j]) * 3;
    h[i, j] = x[i, j] * sigmoid(1.702 * x[i, j]);
    g[i, j] = x[i, j] / (1 + exp(-a[i, j]));
}
check gates(M = 5, N = 37) tol 4e-3;
check gates(M = 3, N = 1000) tol 4e-3;

/// Not so: the sigmoid of one is stored in f32, too, and a small exponential alone is divided by.
export fn whole_gates(x: f32[M, N]) -> (p: bf16[M, N], s: f32[M, N], q: bf16[M, N]) {
    let v[i, j] = sigmoid(x[i, j] * 20);
    p[i, j] = v[i, j];
    s[i, j] = log(v[i, j]);
    q[i, j] = 1e-30 / exp(-80 - abs(x[i, j]) * 2);
}
check whole_gates(M = 5, N = 37) tol 4e-3;

/// A maximum that is infinite counts as 0: rows of -inf, and with an inf.
export fn lse_special(x: f32[M, N]) -> (z: f32[M]) {
    let a[i, j in N] = if i % 3 == 0 then -inf else if i % 3 == 1 && j == 3 then inf else x[i, j] * 30;
    z[i] = lse[j](a[i, j]);
}
check lse_special(M = 7, N = 7);
check lse_special(M = 7, N = 1300);

/// Rows so long that they are gone through once: the sum is brought to a larger maximum as it comes.
export fn running(x: bf16[M, N], c: f32) -> (l: f32[M], z: f32[M]) {
    let a[i, j] = x[i, j] * 3 + 0.01 * f32(j % 701) + c;
    let m[i] = max[j](a[i, j]);
    z[i] = sum[j](exp(a[i, j] - m[i]));
    l[i] = m[i] + log(z[i]);
}
check running(M = 2, N = 70000, c = 0) tol 1e-5;
check running(M = 3, N = 50257, c = -3) tol 1e-5;
