// One launch, 8 bytes an element.
export fn scale(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }
check scale(N = 7);
check scale(N = 33);
check scale(N = 1000000);
bench scale(N = 1000);
bench scale(N = 2000);

// Of a table as many rows as there are indices: 4 K of these, 8 K D of elements.
export fn rows(w: f32[V, D], t: i32[K], s: f32) -> (y: f32[K, D]) {
    assume 0 <= t[k] && t[k] < V;
    y[k, d] = s * w[t[k], d];
}
bench rows(V = 100, D = 4, K = 10, s = 0.5);

// An inout is read and written.
export fn add(inout x: f32[N], y: f32[N]) { x[i] = x[i] + y[i]; }

export fn half(n: i64) -> i64 = n / 2;
