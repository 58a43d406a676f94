// What a regression with seven features and an intercept needs: the matrix of products, the right side, and y's squares.
import "linalg";
export fn normal_equations(x: f16[N, 7], y: f16[N], valid: bool[N]) -> (a: f32[8, 8], b: f32[8], yy: f32[]) {
    let z[n, j in 8] = if !valid[n] then 0 else if j == 7 then 1 else f32(x[n, j]);
    a = gram(z);
    b[j] = sum[n](z[n, j] * y[n]);
    yy[] = sum[n where valid[n]](y[n] ** 2);
}
check normal_equations(N = 501);
bench normal_equations(N = 5000001);
