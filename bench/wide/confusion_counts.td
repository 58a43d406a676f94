// How often each class was taken for which.
export fn confusion_counts(p: i32[T], t: i32[T]) -> (n: i32[K, K]) {
    assume 0 <= p[k] && p[k] < K;
    assume 0 <= t[k] && t[k] < K;
    n[t[k], p[k]] += 1;
}
check confusion_counts(T = 501, K = 7);
bench confusion_counts(T = 8000000, K = 100);
