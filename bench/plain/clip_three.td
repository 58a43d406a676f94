// Gradients of one layer, scaled down together where their common norm is larger than 1.
import "optim";
export fn clip_three(inout g1: bf16[M, N], inout g2: f32[N], inout g3: bf16[N, K]) -> (norm: f32[]) {
    norm[] = sqrt(sum_squares(g1)[] + sum_squares(g2)[] + sum_squares(g3)[]);
    let c = clip_coefficient(norm[], 1.0);
    g1[i, j] = c * g1[i, j];
    g2[j] = c * g2[j];
    g3[j, k] = c * g3[j, k];
}
check clip_three(M = 13, N = 37, K = 5);
bench clip_three(M = 2048, N = 8192, K = 1001);
