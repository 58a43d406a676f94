// How far each value lies below the largest so far, and the worst of each row.
import "linalg";
export fn drawdown(x: f32[M, T]) -> (y: f32[M, T], worst: f32[M]) {
    let top = cummax(x);
    y[i, t] = top[i, t] - x[i, t];
    worst[i] = max[t](y[i, t]);
}
check drawdown(M = 3, T = 131);
bench drawdown(M = 4096, T = 5003);
