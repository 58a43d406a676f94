// Work that doubles with each function ends in a diagnostic.
fn d0(x) = x + 1.0;
fn d1(x) = d0(x) * d0(x + 1.0);
fn d2(x) = d1(x) * d1(x + 2.0);
fn d3(x) = d2(x) * d2(x + 3.0);
fn d4(x) = d3(x) * d3(x + 4.0);
fn d5(x) = d4(x) * d4(x + 5.0);
fn d6(x) = d5(x) * d5(x + 6.0);
fn d7(x) = d6(x) * d6(x + 7.0);
fn d8(x) = d7(x) * d7(x + 8.0);
fn d9(x) = d8(x) * d8(x + 9.0);
fn d10(x) = d9(x) * d9(x + 10.0);
fn d11(x) = d10(x) * d10(x + 11.0);
fn d12(x) = d11(x) * d11(x + 12.0);
fn d13(x) = d12(x) * d12(x + 13.0);
fn d14(x) = d13(x) * d13(x + 14.0);
fn d15(x) = d14(x) * d14(x + 15.0);
fn d16(x) = d15(x) * d15(x + 16.0);
fn d17(x) = d16(x) * d16(x + 17.0);

export fn doubled(x: f32[N]) -> (y: f32[N]) { // expect error[E0006]: more than 120000 calls once functions are inlined
    y[i] = d17(x[i]);
}

export fn rank(x: f32[A, B, C, D, E, F, G, H, I, J, K, L, M]) -> (y: f32[A]) { // expect error[E0006]: a tensor has at most 12 dimensions
    y[i] = 0.0;
}

fn shared(x) {
    let a = x + x; let b = a + a; let c = b + b; let d = c + c; let e = d + d; let f = e + e; let g = f + f; let h = g + g;
    let i = h + h; let j = i + i; let k = j + j; let l = k + k; let m = l + l; let n = m + m; let o = n + n; let p = o + o;
    return p;
}

export fn subscript(x: f32[N]) -> (y: f32[N]) {
    y[i] = pad(x[shared(shared(i))], 0.0); // expect error[E0006]: this integer is too large an expression
}

export fn value(x: f32[N]) -> (y: f32[N]) {
    y[i] = shared(x[i]);
}
