// Rows: what is folded lies along the last axis.
export fn row_sum(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[j](x[i, j]); }
bench row_sum(M = 8192, N = 4096);
bench row_sum(M = 1000000, N = 33);
bench row_sum(M = 16, N = 2000000);
bench row_sum(M = 131072, N = 256);

export fn row_max_abs(x: bf16[M, N]) -> (y: f32[M]) { y[i] = max[j](abs(f32(x[i, j]))); }
bench row_max_abs(M = 32768, N = 2048);
bench row_max_abs(M = 3000, N = 12345);
bench row_max_abs(M = 500000, N = 100);
bench row_max_abs(M = 256, N = 262144);

export fn row_norm(x: f16[M, N]) -> (y: f16[M, N]) {
    let s[i] = rsqrt(sum[j](f32(x[i, j]) ** 2) / N + 1e-6);
    y[i, j] = x[i, j] * s[i];
}
bench row_norm(M = 16384, N = 2048);
bench row_norm(M = 200000, N = 128);
bench row_norm(M = 2048, N = 20000);
bench row_norm(M = 5000, N = 5003);

export fn row_log_softmax(x: f32[M, N]) -> (y: f32[M, N]) {
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp(x[i, j] - m[i]));
    y[i, j] = x[i, j] - m[i] - log(s[i]);
}
bench row_log_softmax(M = 8192, N = 2048);
bench row_log_softmax(M = 100000, N = 100);
bench row_log_softmax(M = 512, N = 50257);
bench row_log_softmax(M = 30000, N = 1000);
bench row_log_softmax(M = 64, N = 1000000);

export fn row_moments(x: bf16[M, N]) -> (mu: f32[M], var: f32[M]) {
    let a[i] = sum[j](f32(x[i, j])) / N;
    mu[i] = a[i];
    var[i] = sum[j]((x[i, j] - a[i]) ** 2) / N;
}
bench row_moments(M = 16384, N = 4096);
bench row_moments(M = 65536, N = 768);
bench row_moments(M = 3000, N = 10007);
bench row_moments(M = 500, N = 131072);

export fn row_dot(a: bf16[M, N], b: bf16[M, N]) -> (y: f32[M]) { y[i] = sum[j](f32(a[i, j]) * f32(b[i, j])); }
bench row_dot(M = 65536, N = 512);
bench row_dot(M = 5000, N = 7001);
bench row_dot(M = 1000000, N = 64);
bench row_dot(M = 400, N = 100000);

export fn row_quantise(x: f16[M, N]) -> (q: i8[M, N], s: f32[M]) {
    let m[i] = max[j](abs(f32(x[i, j]))) / 127.0 + 1e-9;
    s[i] = m[i];
    q[i, j] = i8(x[i, j] / m[i]);
}
bench row_quantise(M = 16384, N = 4096);
bench row_quantise(M = 50000, N = 640);
bench row_quantise(M = 3000, N = 11008);
bench row_quantise(M = 4000, N = 5001);

export fn row_argmin(x: f32[M, N]) -> (y: i32[M]) { y[i] = i32(argmin[j](x[i, j])); }
bench row_argmin(M = 16384, N = 1024);
bench row_argmin(M = 700, N = 33333);
bench row_argmin(M = 200000, N = 100);
bench row_argmin(M = 4096, N = 8192);
