// Rows of a table overwritten by key, the last of several counts; newest stamp and number of writes of each key.
export fn upsert_rows(inout table: f16[V, D], inout stamp: i64[V], inout writes: i32[V], key: i32[N], row: f16[N, D], at: i64[N]) {
    assume 0 <= key[n] && key[n] < V;
    table[key[n], d] = row[n, d];
    stamp[key[n]] max= at[n];
    writes[key[n]] += 1;
}
check upsert_rows(V = 41, D = 13, N = 37);
bench upsert_rows(V = 200000, D = 128, N = 100003);
