// Every statement and every form of left side.
fn statements(x: f32[M, N], inout c: f32[M, N], ids: i32[N]) -> (y: f32[M, N], g: f32[V, D], loss: f32[]) {
    option matmul = tf32;
    option remat;
    require M == N * 2, "rows are twice the columns";
    require N > 0;
    assume 0 <= ids[n] && ids[n] < V;
    let t[i, j] = x[i, j];
    let typed: bf16[i, j] = x[i, j];
    let ranged: bf16[i, j in N, k in 2*N - 1] = x[i, j];
    let fixed[i in M, j] = x[i, j];
    let wide: acc(f16)[i] = x[i, 0];
    let scalar = 3;
    let typed_scalar: f32 = 3;
    let rank0[] = sum[i, j](x[i, j]);
    let pack[b..., n] = x[b..., n];
    let whole = f(x, w);
    let (a, _) = f(x);
    let (mu[n], va: f32[n]) = moments[h, w](x[n, h, w]);
    let (single) = f(x);
    let part[i, 0] = x[i, 0] where i > 0;
    y[i, j] = t[i, j];
    y[2*i, 0] = t[i, 0] where i < M && i >= 0;
    y = f(x);
    (y, loss) = f(x);
    loss[] = 0.0;
    y[i, j in N] = x[i, j];
    y[4 + i in M, N - 1 - j in 0..=2] = x[i, j];
    let ranged[b... in B, c... in [M, 2*N], n] = x[b..., n];
    c[i, j] += x[i, j];
    c[i, j] *= x[i, j] where i != j;
    c[i, j] max= x[i, j];
    c[i, j] min= x[i, j] where i < j;
    g[ids[n], d] += x[n, d];
    return y;
}
