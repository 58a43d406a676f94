// Calls under index variables: what they cannot do.
fn soft(x: f32[N]) -> (y: f32[N]) { y[n] = x[n] / sum[k](x[k]); }
fn part(x: f32[N], k: int) -> (y: f32[k]) { y[i] = x[0]; }  // expect error[E0505]: a dimension cannot depend on b
fn bump(inout p: f32[N]) -> (y: f32[N]) { p[n] += 1; y[n] = new(p)[n]; }
fn need(x: f32[N], k: int) -> (y: f32[N]) {
    require k < 3;                              // expect error[E0407]: it cannot depend on b
    assume x[n] > k;
    y[n] = x[n] + k;
}

export fn ragged_rows(x: f32[B, N], at: i32[B]) -> (y: f32[B]) {
    assume 0 <= at[b] && at[b] <= B;
    y[b] = sum[j in 0..at[b]](soft(x[j, ...])[0]);  // expect error[E0603]: this call is computed for all j
}
export fn sized(x: f32[B, N]) -> (y: f32[B]) {
    y[b] = part(x[b, ...], b)[0];
}
export fn updated(inout p: f32[B, N]) -> (y: f32[B, N]) {
    y[b, n] = bump(p[b, ...])[n];               // expect error[E0715]: it takes a whole inout parameter
}
export fn guarded(x: f32[B, N]) -> (y: f32[B, N]) {
    y[b, n] = if b > 0 then soft(x[b - 1, ...])[n] else 0.0;  // expect error[E0602]: x[b - 1, ...] is out of range
}
export fn needed(x: f32[B, N]) -> (y: f32[B, N]) {
    y[b, n] = need(x[b, ...], b)[n];
}
