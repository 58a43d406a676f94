// How often each number occurs.
export fn bincount(ids: i32[T]) -> (n: i64[S]) {
    assume 0 <= ids[t] && ids[t] < S;
    n[i] = sum[t where ids[t] == i](1);
}

check bincount(T = 1001, S = 37);
check bincount(T = 3, S = 300);
check bincount(T = 0, S = 5);
bench bincount(T = 10000000, S = 100000);
