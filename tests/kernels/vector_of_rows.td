/// Rows of which each half has its elements from the other half of a tensor of its own, two of a thread beside each
/// other: a condition of the vectors along one axis, in a loop over the elements of those along the other, which end
/// inside of one.
export fn vector_of_rows(x: f16[5, 64], z: f16[5, 64]) -> (y: f16[5, 64]) {
    y[i, j] = if j < 32 then x[i, j + 32] * 2 else -z[i, j - 32];
}
check vector_of_rows();
