// Sums at places that are data: y[v] is the sum of the x whose key is v.
export fn sorted_sums(ids: i32[N], x: f32[N]) -> (y: f32[V], n: i32[V]) {
    y[v] = sum[i where ids[i] == v](x[i]);
    n[v] = i32(sum[i where ids[i] == v](1));
}

check sorted_sums(N = 9000, V = 37); // check-all
check sorted_sums(N = 8193, V = 600);
check sorted_sums(N = 1097, V = 5000);
check sorted_sums(N = 70, V = 16385);
check sorted_sums(N = 1, V = 1);
check sorted_sums(N = 0, V = 3);
check sorted_sums(N = 7, V = 0);
