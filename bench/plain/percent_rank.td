// The rank of each value in its row as a share, and whether it is among the best tenth.
import "index";
export fn percent_rank(x: f16[M, N]) -> (share: f16[M, N], top: bool[M, N]) {
    require N >= 2;
    let r = ranks(x);
    share[i, j] = f32(r[i, j]) / (N - 1);
    top[i, j] = 10 * r[i, j] >= 9 * N;
}
check percent_rank(M = 5, N = 37);
bench percent_rank(M = 8000, N = 999);
