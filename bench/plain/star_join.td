// A join of sales with the table of products, and the revenue in cents by category and month.
export fn star_join(product: i32[N], month: u8[N], qty: i32[N], cents: i32[P], category: u8[P]) -> (revenue: i64[C, 12]) {
    assume 0 <= product[n] && product[n] < P;
    assume month[n] < 12;
    assume category[p] < C;
    revenue[category[product[n]], month[n]] += i64(qty[n]) * i64(cents[product[n]]);
}
check star_join(N = 303, P = 41, C = 5) with qty in 0..20, cents in 1..100000;
bench star_join(N = 8000001, P = 50000, C = 20) with qty in 0..20, cents in 1..100000;
