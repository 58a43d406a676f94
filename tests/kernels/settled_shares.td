// Short rows, of which a block has several one after the other: where the rows end, some blocks have fewer turns than others,
// so that a warp cannot have rows of two of them.
export fn settled_shares(x: f32[M, N]) -> (y: f32[M]) { y[r] = sum[n](x[r, n]); }

check settled_shares(M = 1, N = 1);
check settled_shares(M = 16, N = 3);
check settled_shares(M = 37, N = 8);
check settled_shares(M = 91, N = 2);
check settled_shares(M = 31, N = 200);
check settled_shares(M = 3, N = 0);
