// A softmax over the elements of each key, and its sums.
export fn key_softmax(x: f32[T], key: i32[T]) -> (y: f32[T], z: f32[S]) {
    assume 0 <= key[t] && key[t] < S;
    let m[s in S] = max[t where key[t] == s](x[t]);
    z[s] = sum[t where key[t] == s](exp(x[t] - m[s]));
    y[t] = exp(x[t] - m[key[t]]) / z[key[t]];
}
check key_softmax(T = 103, S = 7);
bench key_softmax(T = 17000000, S = 1000000);
