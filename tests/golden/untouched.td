// Elements of an inout that no key names are left alone, where folds of nothing leave their values: with what is rounded
// on the way they are not.
export fn kept(inout w: f16[V], d: f32[N], ids: i32[N]) {
    assume 0 <= ids[t] && ids[t] < V;
    w[ids[t]] += d[t];
}
export fn rounded(inout w: f32[V], d: f32[N], ids: i32[N]) { w[i] = f16(w[i]) + sum[t where ids[t] == i](d[t]); }
export fn scaled(inout w: f32[V], d: f32[N], ids: i32[N]) { w[i] = 0.5 * w[i] + sum[t where ids[t] == i](d[t]); }
export fn multiplied(inout w: f32[V], d: f32[N], ids: i32[N]) { w[i] = w[i] * sum[t where ids[t] == i](d[t]); }
