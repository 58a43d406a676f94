// GROUP BY store with a WHERE: sums of four columns over the rows that are neither returned nor of no quantity.
export fn sums_by_store(store: u16[N], returned: bool[N], qty: i8[N], col: f32[N, 4]) -> (total: f32[G, 4], rows: i32[G]) {
    assume store[n] < G;
    total[g, c] = sum[n where store[n] == g && !returned[n] && qty[n] > 0](col[n, c]);
    rows[g] = sum[n where store[n] == g && !returned[n] && qty[n] > 0](1);
}
check sums_by_store(N = 303, G = 17);
bench sums_by_store(N = 5000001, G = 1200);
