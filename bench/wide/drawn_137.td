// Random program 137; how it was drawn: DRAWN in wide.py.
export fn drawn_137(x0: f64[C], x3: bool[C], s4: f32) -> (y6: f32[C]) {
    let t1[i] = f32(x0[i]);
    let t5[i] = trunc((((if x3[i] then t1[i - i % 4] else s4) * 2) - 2));
    y6[i] = t5[i];
}
check drawn_137(C = 131, s4 = 0.5);
bench drawn_137(C = 4923075, s4 = 0.5);
