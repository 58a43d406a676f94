// Sorts by one block, by the blocks of a cluster, and by all: numbers of keys beside those that part them; few numbers, and so many
// that each is looked for among the keys.
export fn added(g: f32[T], ids: i64[T]) -> (y: f32[V]) { y[i] = sum[t where ids[t] == i](g[t]); }

check added(T = 512, V = 30);
check added(T = 1024, V = 300);
check added(T = 1025, V = 30);
check added(T = 1500, V = 20000);
check added(T = 2048, V = 3);
check added(T = 8193, V = 300); // check-all
check added(T = 32768, V = 513); // check-all
check added(T = 32769, V = 513);
