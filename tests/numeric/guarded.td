// Pieces whose conditions are of data: they exclude each other, and together leave nothing out.
export fn signs(x: f32[N], t: i32[N]) -> (y: f32[N]) {
    y[i] = x[i] where t[i] > 0;
    y[i] = -x[i] where t[i] <= 0;
}
export fn three(x: f32[M, N], t: i32[M]) -> (y: f32[M, N]) {
    y[i, j] = x[i, j] where 0 < t[i];
    y[i, j] = 0.5 where t[i] == 0;
    y[i, j] = 2 * x[i, j] where t[i] < 0;
}
export fn flags(x: f32[N], k: bool[N], a: f32[N]) -> (y: f32[N], z: f32[N]) {
    y[i] = x[i] where k[i] && i % 2 == 0;
    y[i] = 1 where !(k[i] && i % 2 == 0);
    z[i] = a[i] where a[i] > x[i];
    z[i] = 7 where !(a[i] > x[i]);
}
export fn kinds(inout p: f32[N], t: i32[N]) {
    p[i] = 1 where t[i] == 1;
    p[i] = 2 where t[i] == 2;
    p[i] = p[i] * 3 where t[i] > 2;
    p[i] += 5 where t[i] < 1;
}
check signs(N = 40) with t in -3..3;
check three(M = 20, N = 5) with t in -2..3;
check flags(N = 40);
check kinds(N = 40) with t in -2..5;
export fn always() -> (y2: f32[1]) {
    y2[i] = 1.0 where i < 2;
}
check always();

// What a reduction's temporary takes with it is read only where the piece's guard holds.
export fn guard_beside_temporary(x: bool[N, N], z: f32[N], w: f32[N, K]) -> (y: f32[N]) {
    y[i] = 1.0 where i < 2;
    y[i] = tanh((if all[j in 0..N, k in 0..N where x[i, j]](x[k, (j + 1) % N]) then z[i - 2] else z[i])
                / (2.0 + sum[j in 0..K](exp(w[i, j] - max[l in 0..K](w[i, l]))))) where i >= 2;
}
check guard_beside_temporary(N = 1, K = 3);
check guard_beside_temporary(N = 9, K = 5);
// A piece that no element has is none, whatever it would load.
fn shifted(x: f32[N]) -> (y: f32[N]) {
    y[i] = sum[k](x[k]) + x[i] where i < 2;
    y[i] = x[i - 2] where i >= 2;
}
export shifted_2 = shifted(N = 2);
export shifted_3 = shifted(N = 3);
check shifted_2();
check shifted_3();
// Two large folds of one tensor, each divided among blocks.
export fn folded_twice(x: f32[N, M]) -> (y: f32[M]) {
    y[i] = max[j](x[j, i]) where i < 2;
    y[i] = 1.0 * max[j in 0..N where j != 3](x[j, i]) where i >= 2;
}
check folded_twice(N = 3, M = 3);
check folded_twice(N = 3000, M = 5);

// A guard whose range is data protects the loads of a reduction in the value.
export fn guarded_by_data(x6: i32[4*A], x3: bool[5*B, 5*B], inout p5: f32[4*A]) {
    assume 0 <= x6[i] && x6[i] <= 5*B;
    p5[i] = max[j in 0..B](p5[1 % (4*A)] * p5[i]) * 2 where all[j in x6[i]..5*B](x3[j, j]);
}
check guarded_by_data(A = 2, B = 3);
check guarded_by_data(A = 1, B = 1);
// Where C is 0 nothing is read at a remainder by C, whatever is moved out of a loop.
export fn remainder(x: f32[C], id: i32[A], z: f32[A]) -> (y: f32[3]) {
    assume 0 <= id[a] && id[a] < 3;
    let t: f32[i in 2*C, j in C] = x[(j + 1) % C] * i;
    y[id[i]] += pad(t[i, i + i - 1], -1.0) + z[i];
}
check remainder(C = 0, A = 20);
check remainder(C = 3, A = 20);
// Conditions read what is folded over all that they choose from: it is stored apart, as it is for values.
export fn by_sum(x: f32[A, B], p: i32[A]) -> (y: f32[A, B], n: i32[A]) {
    let s[] = sum[a, b](x[a, b]);
    let m[a] = max[b](x[a, b]);
    y[a, b] = x[a, b] where s[] > 0;
    y[a, b] = -x[a, b] where !(s[] > 0);
    n[a] = p[a] where m[a] * s[] > 1 && p[a] > 0;
    n[a] = 2 where !(m[a] * s[] > 1 && p[a] > 0);
}
check by_sum(A = 7, B = 33);
check by_sum(A = 2, B = 40000); // check-all
check by_sum(A = 3000, B = 1);
check by_sum(A = 0, B = 2);
