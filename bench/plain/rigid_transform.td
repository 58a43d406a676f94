// Points of scans moved by one 4 by 4 matrix a scan, their boxes, and how many lie within reach.
export fn rigid_transform(m: f32[B, 4, 4], p: f16[B, K, 3], reach: f32) -> (q: f16[B, K, 3], lo: f32[B, 3], hi: f32[B, 3], near: i32[B]) {
    let t[b, k, i in 3] = m[b, i, 3] + sum[j in 0..3](m[b, i, j] * p[b, k, j]);
    q[b, k, i] = t[b, k, i];
    lo[b, i] = min[k](t[b, k, i]);
    hi[b, i] = max[k](t[b, k, i]);
    near[b] = sum[k](sum[i](t[b, k, i] ** 2) < reach ** 2);
}
check rigid_transform(B = 3, K = 101, reach = 2.0);
bench rigid_transform(B = 64, K = 100003, reach = 2.0);
