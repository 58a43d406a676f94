// Of groups of neighbours within rows columns come first, where nothing is said of how many there are.
export fn sums(x: f32[N, T, G*K]) -> (s: f32[N, G]) { s[n, g in G] = sum[t, k in K](x[n, t, g*K + k]); }
