// The gradient of a pooling whose windows overlap: each goes to the place, saved in the forward pass, of its maximum.
export fn max_pool_grad(dy: f16[N, C, P, Q], at: i64[N, C, P, Q]) -> (dx: f16[N, C, 4*P*Q]) {
    assume 0 <= at[n, c, p, q] && at[n, c, p, q] < 4*P*Q;
    dx[n, c, at[n, c, p, q]] += dy[n, c, p, q];
}
check max_pool_grad(N = 2, C = 3, P = 5, Q = 7);
bench max_pool_grad(N = 32, C = 64, P = 56, Q = 56);
