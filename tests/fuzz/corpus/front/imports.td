import "./self.td";
import "lib";
fn twice(x) = sq(x) + sq(x);
export fn f<T, k: int = 3>(x: T[B..., N], i: i32[N]) -> (y: f32[B..., N], z: f32[B...]) {
    require N >= 1, "rows";
    y[b..., n] = twice(x[b..., n]) where n % 2 == 0;
    y[b..., n] = if x[b..., n] > 0.0 then 1.0 else float_of(i[n]) where n % 2 == 1;
    z[b...] = lse[j](x[b..., j]);
}
export g = f(T = f32, B = [M, 8]);
check g(M = 3, N = 17, B = [2]) with x in 0..1 tol 1e-3;
