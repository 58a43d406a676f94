// Each 16 elements of a row turned by a Hadamard matrix, and the largest before and after.
import "linalg";
fn bits(n) = (n & 1) ^ (n >> 1 & 1) ^ (n >> 2 & 1) ^ (n >> 3 & 1);
export fn hadamard_blocks(x: f16[M, 16*G]) -> (y: f16[M, 16*G], before: f32[M], after: f32[M]) {
    y[i, 16*g + j in 16] = 0.25 * sum[k in 0..16](if bits(j & k) == 1 then -x[i, 16*g + k] else x[i, 16*g + k]);
    before[i] = max[l](abs(x[i, l]));
    after[i] = max[l](abs(y[i, l]));
}
check hadamard_blocks(M = 5, G = 3);
bench hadamard_blocks(M = 8192, G = 256);
