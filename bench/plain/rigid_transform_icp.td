// Points moved by a rotation and a shift, their distance to the plane at their match, and the weighted error of all.
export fn rigid_transform_icp(p: f32[N, 3], q: f32[M, 3], nrm: f32[M, 3], near: i32[N], r: f32[3, 3], s: f32[3]) -> (y: f32[N, 3], e: f32[N], cost: f32[]) {
    assume 0 <= near[n] && near[n] < M;
    y[n, a] = sum[b](r[a, b] * p[n, b]) + s[a];
    e[n] = sum[a](nrm[near[n], a] * (y[n, a] - q[near[n], a]));
    cost[] = sum[n](if abs(e[n]) < 1 then 0.5 * e[n] ** 2 else abs(e[n]) - 0.5);
}
check rigid_transform_icp(N = 101, M = 37);
bench rigid_transform_icp(N = 2000003, M = 500001);
