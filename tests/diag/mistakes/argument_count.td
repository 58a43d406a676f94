fn mix(a, b, t) = a + (b - a) * t;
export fn f(x: f32[N], z: f32[N]) -> (y: f32[N]) { y[i] = mix(x[i], z[i]); }
