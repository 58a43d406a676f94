// Pieces under conditions of data that overlap or leave something out (NaN is neither > 0 nor <= 0).
export fn over(x: f32[N], t: i32[N], a: f32[N]) -> (y: f32[N],
              z: f32[N],    // expect error[E0703]: cannot prove that the pieces of z cover it
              w: f32[N],    // expect error[E0703]: cannot prove that the pieces of w cover it
              v: f32[N]) {
    y[i] = x[i] where t[i] >= 0;
    y[i] = -x[i] where t[i] <= 0; // expect error[E0702]: pieces of y are disjoint
    z[i] = x[i] where t[i] > 0;
    z[i] = -x[i] where t[i] < 0;
    w[i] = 1 where a[i] > 0;
    w[i] = 2 where a[i] <= 0;
    v[i] = 1 where t[i] < 3;
    v[i] = 2 where t[i] > 1; // expect error[E0702]: pieces of v are disjoint
}
