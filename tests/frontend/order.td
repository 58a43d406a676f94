// Outputs keep the order of the header whatever needs what; new(p) is the value after.
fn scale(x: f32[N], a: f32) -> (y: f32[N]) { y[i] = a * x[i]; }
fn twice(x: f32[N]) -> (y: f32[N]) { y = scale(x, 2.0); }

export fn outputs(x: f32[N]) -> (first: f16[N], second: f16[N], third: f32[N]) {
    first[i] = second[i] * 2.0;
    second[i] = x[i] + 1.0;
    third = twice(x);
}

export fn momentum(inout v: f32[N], inout p: bf16[N], g: f32[N], rate: f32) -> (norm: f32[]) {
    v[i] = 0.9 * v[i] + g[i];
    p[i] = p[i] - rate * new(v)[i];
    norm[] = sum[i](new(v)[i] * v[i]);
}
