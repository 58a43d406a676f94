// What the partition does, one entry a case; README.md of sched/plan explains the first.

// The largest deviation in a column reads the means of all rows: they are stored, in a kernel before.
export fn scaled(x: f32[M, N]) -> (y: f32[M, N]) {
    let mu[i] = mean[j](x[i, j]);
    let top[j] = max[i](abs(x[i, j] - mu[i]));
    y[i, j] = (x[i, j] - mu[i]) / top[j];
}

// A scan, one that goes backward beside it, and one that is exclusive.
export fn running(x: f32[M, N]) -> (y: f32[M, N]) {
    y[i, j] = sum[k where k <= j](x[i, k]) + max[k where k >= j](x[i, k]) + sum[k where k < j](abs(x[i, k]));
}

// One sum of everything: many blocks have shares of it.
dim L hint 16777216;
export fn total(x: f32[L]) -> (y: f32[]) {
    y[] = sum[i](x[i] * x[i]);
}

// Maps of the same elements share a kernel, and their axes are one.
export fn both(x: f32[M, N], b: f32[N]) -> (y: f32[M, N], z: f32[M, N]) {
    y[i, j] = x[i, j] + b[j];
    z[i, j] = x[i, j] * 2;
}

// A product for the library, with a factor that is computed; and one in place, whose old values are read elsewhere.
export fn product(x: f32[M, K], w: f32[K, N]) -> (y: f32[M, N]) {
    y[i, j] = relu(sum[k](exp(x[i, k]) * w[k, j]));
}
export fn reversed(inout p: f32[N]) {
    p[n] = p[N - 1 - n];
}
