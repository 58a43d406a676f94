// A filter over four columns of a table and one sum: revenue of discounts in a year (as query 6 of TPC-H).
export fn discount_revenue(day: i32[N], percent: u8[N], qty: u8[N], price: f32[N], from: i32) -> (revenue: f32[], rows: i32[]) {
    let ok[n] = day[n] >= from && day[n] < from + 365 && percent[n] >= 5 && percent[n] <= 7 && qty[n] < 24;
    revenue[] = sum[n where ok[n]](price[n] * f32(percent[n])) / 100;
    rows[] = sum[n](ok[n]);
}
check discount_revenue(N = 501, from = 365) with day in 0..1500, percent in 0..11, qty in 0..50, price in 1.0..100.0;
bench discount_revenue(N = 16000001, from = 365) with day in 0..1500, percent in 0..11, qty in 0..50, price in 1.0..100.0;
