// Random program 241; how it was drawn: DRAWN in wide.py.
fn f0(a) = a * 0.5 + 1.0;
export fn drawn_241(s0: f32, x2: i64[D], s3: f32) -> (y1: f16[D], y4: f32[D]) {
    assume 0 <= x2[a] && x2[a] < D;
    y1[i] = sqrt(abs(0.25) + 0.25) where i < 2;
    y1[i] = f0(s0) where i >= 2;
    y4[x2[i]] += f32(i / 2) where isfinite(y1[i / 2] * s3);
}
check drawn_241(D = 131, s0 = 0.5, s3 = 0.5);
bench drawn_241(D = 4571427, s0 = 0.5, s3 = 0.5);
