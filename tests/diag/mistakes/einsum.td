export fn f(a: f32[M, K], b: f32[K, N]) -> (c: f32[M, N]) { c = einsum("ik,kj->ij", a, b); }
