// Rows of a table chosen by data.
/// One row a token plus one a place, scaled.
export fn lookup(table: bf16[V, D], place: bf16[S, D], token: i32[B, S]) -> (y: bf16[B, S, D]) {
    assume 0 <= token[b, s] && token[b, s] < V;
    y[b, s, d] = table[token[b, s], d] * 0.5 + place[s, d];
}
check lookup(V = 1, D = 1, S = 1, B = 1);
check lookup(V = 53, D = 37, S = 11, B = 3);
check lookup(V = 1009, D = 3, S = 1, B = 71);
check lookup(V = 5, D = 4, S = 0, B = 2);

/// A bag of K rows a sample, those out of the table as zeros.
export fn bag(table: f32[V, D], token: i64[B, K]) -> (y: f32[B, D]) {
    assume -3 <= token[b, k] && token[b, k] < V + 3;
    y[b, d] = sum[k](pad(table[token[b, k], d], 0.0));
}
check bag(V = 1, D = 1, B = 1, K = 1);
check bag(V = 7, D = 29, B = 5, K = 13);
check bag(V = 211, D = 2, B = 33, K = 3);
check bag(V = 6, D = 5, B = 4, K = 0);
