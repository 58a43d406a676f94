// Reductions over variables that nothing in them depends on: without those they are the same, but where those have no values.
/// A range by itself, which may be empty where the other is not, of a length that does not matter to the others.
export fn repeats(x: f32[N], J: int)
        -> (m: f32[], l: f32[], s: f32[], d: f64[], n: i32[], w: i64[], p: f32[], some: bool[], every: bool[]) {
    m[] = max[j in 0..J, k](x[k]);
    l[] = min[k, j in 0..J](x[k]);
    s[] = sum[j in 0..J, k](x[k]);
    d[] = sum[k, j in 0..J](f64(x[k]));
    n[] = sum[j in 0..J, k](i32(x[k] * 100.0) * 40000000);
    w[] = sum[j in 3..J, k](i64(x[k] * 100.0) << 40);
    p[] = prod[j in 0..J, k](x[k]);
    some[] = any[j in 0..J, k](x[k] > 1.0);
    every[] = all[j in 0..J, k](x[k] > -1.0);
}
check repeats(N = 1, J = 0);
check repeats(N = 0, J = 1);
check repeats(N = 0, J = 0);
check repeats(N = 1, J = 1);
check repeats(N = 37, J = 0);
check repeats(N = 37, J = 2);
check repeats(N = 4099, J = 5);

/// The range is as long as the other, or longer where there is a condition: then nothing asks whether it is empty.
export fn alike(x: f32[4 * C]) -> (a: f32[], b: f32[], c: f32[]) {
    a[] = tanh(max[j in 0..4*C, k](x[k]));
    b[] = sum[j in 0..C, k where k % 3 == 1](x[k]);
    c[] = min[j in 0..C, i in 0..4*C, k](abs(x[k]));
}
check alike(C = 0);
check alike(C = 1);
check alike(C = 33);

/// How long it is depends on what is folded, by indices and by data, below 0 too; a sum of 0 times infinity is 0.
export fn uneven(x: f32[M, N], lens: i32[M, N]) -> (a: f32[M], b: f32[M], c: f32[M], d: i32[M], e: f32[M]) {
    assume -2 <= lens[i, k] && lens[i, k] <= 5;
    a[i] = sum[k in N, j in 3..k](if k < 4 then inf else x[i, k]);
    b[i] = max[k, j in 0..lens[i, k]](x[i, k]);
    c[i] = sum[k, j in 0..lens[i, k] where x[i, k] < 1.5](if lens[i, k] < 1 then nan else x[i, k]);
    d[i] = sum[k in N, j in 0..lens[i, k]](i32(k) * 70000 * 40000);
    e[i] = sum[k, j in 0..k, h in 0..j](x[i, k]);
}
check uneven(M = 1, N = 0);
check uneven(M = 0, N = 3);
check uneven(M = 2, N = 1);
check uneven(M = 5, N = 61);

/// No variable is left: a value, as often as there are values, under a guard that may not hold. The zeros are positive.
export fn alone(x: f32[M], off: i32[M + 1]) -> (a: f32[M], b: f32[M], c: f32[M], d: f32[M], e: f32[M], f: i32[M]) {
    assume 0 <= off[i] && off[i] <= 300;
    a[i] = sum[t in off[i]..off[i + 1]](1.0);
    b[i] = max[t in off[i]..off[i + 1] where x[i] > 0.0](x[i]);
    c[i] = sum[t in off[i]..off[i + 1]](if off[i + 1] <= off[i] then inf else x[i]);
    d[i] = 1.0 / sum[t in 0..i](-0.0 * abs(x[i]));
    e[i] = sum[t in off[i]..off[i + 1], j in 0..i](x[i]);
    f[i] = sum[t in off[i]..off[i + 1], j in 1..i](i32(i) + 1);
}
check alone(M = 1);
check alone(M = 0);
check alone(M = 130);

/// Inner folds do not depend on it; a tensor read at the range's last value exists only where there are values.
export fn inside(x: f16[M, N], J: int, z: f16[J]) -> (a: f16[M], b: f16[M], c: i64[M]) {
    a[i] = sum[j in 0..J](f32(max[k](x[i, k])) * 0.125);
    b[i] = max[j in 0..J, k](x[i, k] * z[J - 1]);
    c[i] = argmax[k](x[i, k] + sum[j in 0..J](f32(x[i, 0])));
}
check inside(M = 0, N = 3, J = 2);
check inside(M = 7, N = 1, J = 0);
check inside(M = 7, N = 19, J = 1);
check inside(M = 7, N = 19, J = 20);
