// What --debug-checks tests, of a program text with a choice: before the kernels of either way.
export fn gathered(x: i32[M], k: i64[M]) -> (y: i32[M]) {
    assume 0 <= k[i] && k[i] < M;
    y[i] = x[k[i]] + 1;
}

check gathered(M = 0);
check gathered(M = 5);
check gathered(M = 9);
