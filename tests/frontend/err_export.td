// Exports, checks and benches that do not fit.
dim M in 2..100 divisible 2;
dim E in 5..5; // expect error[E0506]: no value of E is in this range

fn rows<T>(x: T[B..., N]) -> (y: T[B...]) {
    y[b...] = sum[n](x[b..., n]);
}

export rows_all = rows(B = [M]);           // expect error[E0809]: an export needs a value for T of rows
export rows_pack = rows(T = f32);          // expect error[E0800]: the dimensions B... are not known here
export fn packed(x: f32[B..., N]) -> (y: f32[N]) { // expect error[E0800]: the dimensions B... are not known here
    y[n] = 0.0;
}
export rows_bad = rows(T = f32, B = [M], Q = 3);      // expect error[E0307]: rows has no parameter or dimension Q
export rows_f32 = rows(T = f32, B = [M]);
export nothing = row(T = f32);             // expect error[E0303]: unknown function row
export fn untyped(x) -> (y: f32[N]) {      // expect error[E0806]: a parameter of an export needs a type
    y[i] = x[i];
}
export fn empty(x: f32[E]) -> (y: f32[E]) {
    y[i] = x[i];
}
export fn scaled(x: f32[M], a: f32) -> (y: f32[M]) {
    y[i] = a * x[i];
}

check rows_f32(M = 2, N = 3);
check rows_f32(M = 3, N = 3);              // expect error[E0801]: M = 3 is outside
check rows_f32(M = 2);                     // expect error[E0805]: rows_f32 needs a value for N
check rows_f32(M = 2, N = 3, K = 4);       // expect error[E0307]: no dimension or scalar K
check rows_f33(M = 2, N = 3);              // expect error[E0308]: no export is called rows_f33
check rows_f32(M = 2, N = 1) with z ~ 0.5; // expect error[E0307]: rows_f32 has no input z
check scaled(M = 4);                       // expect error[E0805]: scaled needs a value for a
check scaled(M = 4, a = 0.5) with x in 0..1 tol 1e-3;
bench scaled(M = 64, a = x);               // expect error[E0300]: unknown name x
export fn host_tensor(x: f32[N]) -> f32 = 1.0;      // expect error[E0800]: a function of the host takes no tensors
export fn host_sum(n: int) = sum[i in 0..n](i);     // expect error[E0204]: a function of the host has no reductions
