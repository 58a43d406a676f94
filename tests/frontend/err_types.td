// Types that do not meet.
fn half(x: f16) -> f16 = x;

export fn types(x: f32[M, N], k: i32[M], c: bool[M], w: f16[M], q: i8[N]) -> (a: f32[M], b: f32[M], i8s: i8[M], d: f32[M], e: f32[M], f: bool[M], g: f32[M], h: f32[M], l: f32[M], o: i32[M]) {
    a[i] = sum[j](x[i, j]) + c[i];               // expect error[E0416]: + does not take bool
    b[i] = if sum[j](x[i, j]) then 1.0 else 0.0; // expect error[E0403]: a condition is bool, this is f32
    i8s[i] = k[i];                               // expect error[E0401]: i32 does not become i8
    d[i] = sum[j](x[i, j]) * (i / 2);            // expect error[E0402]: an integer quotient
    e[i] = w[i] * k[i];                          // expect error[E0400]: i32
    f[i] = k[i];                                 // expect error[E0400]: i32 stands where bool is needed
    g[i] = x[i, w[i]];                           // expect error[E0404]: an integer is needed here, this is f16
    h[i] = half(sum[j](x[i, j]));                // expect error[E0401]: f32 does not become f16
    l[i] = mean[j](q[j]);                        // expect error[E0415]: the mean of i8
    o[i] = k[i] & 1.5;                           // expect error[E0420]: & is for integers
}

export fn more(x: f32[M], c: bool[M]) -> (a: f32[M], b: f32[M], d: f32[M], e: bool[M], f: f32[M], g: i64[M]) {
    a[i] = x;                                    // expect error[E0412]: x is a whole tensor
    b[i] = exp(x[i], 1.0);                       // expect error[E0408]: exp takes 1 argument, these are 2
    d[i] = max(x[i]);                            // expect error[E0424]: max reduces over an index
    e[i] = any[j](x[j]);                         // expect error[E0415]: any is of bool
    f[i] = max[j](c[j]);                         // expect error[E0415]: max of bool
    g[i] = argmax[j, k](x[j] * x[k]);            // expect error[E0405]: argmax takes one variable
}
