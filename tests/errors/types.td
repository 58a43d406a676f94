export fn narrowing(x: f32[N]) -> (y: i32[N]) {
    y[i] = x[i]; // expect error[E0421]: f32 stands where i32 is needed
}
export fn mixed(x: f32[N], t: bool[N]) -> (y: f32[N]) {
    y[i] = x[i] + t[i]; // expect error[E0416]: bool
}
export fn quotient(x: f32[N], t: i32[N]) -> (y: f32[N]) {
    y[i] = x[i] + t[i] / 2; // expect error[E0402]: integer quotient
}
export fn condition(x: f32[N]) -> (y: f32[N]) {
    y[i] = if x[i] then 1.0 else 0.0; // expect error[E0403]: bool
}
export fn subscript(x: f32[N], v: f32[N]) -> (y: f32[N]) {
    y[i] = x[v[i]]; // expect error[E0404]: integer
}
export fn rank(x: f32[M, N]) -> (y: f32[N]) {
    y[i] = x[i]; // expect error[E0500]: 2 dimensions
}
export fn narrow_update(inout w: i8[N], d: i32[N]) {
    w[n] += d[n]; // expect error[E0401]: i32 does not become i8 by itself
}
export fn chosen(x: i8[N], z: i32[N]) -> (y: i8[N]) {
    y[i] = if x[i] < 0 then 128 else x[i]; // expect error[E0401]: i32 does not become i8 by itself
}
