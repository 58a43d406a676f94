dim N in 1..=64;

export fn f(x: f32[N], t: i64[N]) -> (y: f32[N], z: f32[N]) {
    y[i] = x[i] + x[j]; // expect error[E0309]: j
    z[i] = xx[i]; // expect error[E0300]: xx
}

export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; } // expect error[E0301]: f
export fn g(x: f32[N]) -> (y: f32[N]) { y[i] = foo(x[i]); } // expect error[E0303]: foo
export fn h(x: f33[N]) -> (y: f32[N]) { y[i] = x[i]; } // expect error[E0304]: f33

fn instance_flat(x: f32[B*T], T: int) -> (y: f32[B*T]) { y[n] = x[n] * T; }
export instance_ambiguous = instance_flat(T = 2*B); // expect error[E0301]: B is also a dimension of instance_flat: choose another name
