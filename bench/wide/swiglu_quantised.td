// A gated activation and its quantisation with one scale a row.
import "nn";
export fn swiglu_quantised(x: bf16[M, 2*N]) -> (q: i8[M, N], scale: f32[M]) {
    let h = swiglu(x);
    scale[i] = max(max[j](abs(h[i, j])) / 127, 1e-12);
    q[i, j] = i8(clamp(round(h[i, j] / scale[i]), -127, 127));
}
check swiglu_quantised(M = 5, N = 37);
bench swiglu_quantised(M = 8192, N = 5504);
