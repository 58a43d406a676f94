// What text_types.td and functions.td import. clause 4.11
fn helper(x) = x + 1;
reduce helper_sum[k](e) { return sum[k](e) + 0; }
export fn inert(x: f32[N]) -> (ok: bool[N]) { ok[i] = helper(x[i]) == x[i] + 1 && helper_sum[j in 0..2](x[i]) == x[i] + x[i]; }
check inert(N = 2);
bench inert(N = 2);
