require M >= 1, "rows";
assume 0 <= t[i] && t[i] < M;
export fn f(x: f32[M], t: i32[N]) -> (y: f32[N]) {
    y[i] = pad(x[t[i]], 0.0);
}
