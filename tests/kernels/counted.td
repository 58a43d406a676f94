// Counts at places that are data: n[v] is how many keys are v. No order is wanted.
export fn counted(ids: i32[N]) -> (n: i32[V]) { n[v] = i32(sum[i where ids[i] == v](1)); }

check counted(N = 5000, V = 37) with ids in -3..40;
check counted(N = 1097, V = 8192) with ids in -3..8200;
check counted(N = 9001, V = 8193) with ids in -3..8200;
check counted(N = 70, V = 16385) with ids in 0..16390;
check counted(N = 1, V = 1);
check counted(N = 0, V = 3);
check counted(N = 7, V = 0);
