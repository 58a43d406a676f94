// Types that an export gives its results. clause 10.1
fn one(x: f32[N]) -> (y: f32[N]) { y[n] = x[n]; }
fn two(x: f32[N]) -> (q: i8[N], r: f32[N]) { q[n] = i8(x[n]); r[n] = x[n] - f32(q[n]); }
fn host(x: f32) -> f32 = 2 * x;
export a = one() -> (bf16, f32); // expect error[E0812]: one has 1 result, and there are 2 types
export b = two() -> bf16; // expect error[E0812]: two has 2 results, and there is 1 type
export c = two() -> (bf16, bf16); // expect error[E0812]: the result q is i8, and is not stored as bf16
export d = two() -> (_, i8); // expect error[E0812]: the result r is f32, and is not stored as i8
export e = one() -> bf17; // expect error[E0304]: unknown type bf17
export f = host() -> bf16; // expect error[E0812]: host has no results in memory
export g = two() -> (i8, bf16);
