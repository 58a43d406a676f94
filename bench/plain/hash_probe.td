// A probe of a hash table with linear probing over four slots: the row that a key stands at, or -1, and the hits.
export fn hash_probe(slot: u32[T], row: i32[T], key: u32[N]) -> (found: i32[N], hits: i32[]) {
    require T >= 4;
    let h[n] = i64((key[n] * 2654435761) >> 8) % T;
    found[n] = max[p in 0..4](if slot[(h[n] + p) % T] == key[n] then row[(h[n] + p) % T] else -1);
    hits[] = sum[n](found[n] >= 0);
}
check hash_probe(T = 64, N = 301) with row in 0..1000;
bench hash_probe(T = 1048576, N = 8000001) with row in 0..1000;
