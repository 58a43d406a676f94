// Beams of an array: for each direction the microphones' samples at their delays, weighted, and each beam's power.
export fn delay_and_sum(x: f32[M, T + D], delay: i32[K, M], w: f32[M]) -> (y: f32[K, T], power: f32[K]) {
    assume 0 <= delay[k, m] && delay[k, m] < D;
    y[k, t] = sum[m](w[m] * x[m, t + delay[k, m]]);
    power[k] = mean[t](y[k, t] ** 2);
}
check delay_and_sum(M = 5, T = 101, D = 9, K = 7);
bench delay_and_sum(M = 16, T = 100003, D = 64, K = 36);
