// Names that mean nothing here, or two things.
import "./nowhere.td"; // expect error[E0306]: cannot find ./nowhere.td
import "nosuch";       // expect error[E0306]: cannot find nosuch

fn gelu(x) = 0.5 * x * (1.0 + erf(x));
fn gelu(x: f32) -> f32 = x; // expect error[E0301]: gelu is defined twice

export fn names(value: f32[M, N], b: f32[N]) -> (y: f32[M, N], z: f32[M]) {
    let bias[j] = b[j];
    let bias[j] = b[j];                        // expect error[E0301]: bias is defined twice
    y[i, j] = valeu[i, j] + bias[j];             // expect error[E0300]: unknown name valeu
    z[i] = sum[j](value[i, j] * gleu(b[j]));   // expect error[E0303]: unknown function gleu
}

export fn unbound(x: f32[M, N]) -> (y: f32[M]) {
    y[i] = x[i, k];                            // expect error[E0309]: nothing binds the index variable k
}

export fn types(x: f33[M], s: bfloat) -> (y: f32[M]) { // expect error[E0304]: unknown type f33
    y[i] = x[i];
}

export fn hides(x: f32[M], m: f32[M]) -> (y: f32[M]) {
    let unused[i] = x[i] + m[i]; // expect warning[W0705]: unused is never used
    y[m] = x[m];                 // expect warning[W0302]: m hides the tensor
}

export fn options(x: f32[M]) -> (y: f32[M]) {
    option matmull = f32; // expect error[E0305]: unknown option matmull
    y[i] = x[i];
}
