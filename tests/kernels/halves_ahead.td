// Loads that run ahead, under conditions that are the same for all elements of a vector where lengths are multiples of
// it (sched/kernel/uniform.c): of the other half of a row, in each half from tensors of its own.
export fn halves_ahead(x: bf16[M, 2*D], z: bf16[M, 2*D], c: f32[M, D], e: f32[M, D]) -> (y: bf16[M, 2*D]) {
    y[i, d] = if d < D then x[i, d] * c[i, d] - x[i, d + D] else x[i, d] + z[i, d - D] * e[i, d - D];
}
check halves_ahead(M = 3, D = 96);
check halves_ahead(M = 3, D = 62);
check halves_ahead(M = 3, D = 67);
check halves_ahead(M = 3, D = 1);
check halves_ahead(M = 3, D = 0);
