// The distribution of returns of the next state, moved by the reward, on the 51 atoms of this one.
export fn project_atoms(p: f32[B, 51], r: f32[B], done: bool[B]) -> (m: f32[B, 51]) {
    let z[b, k in 51] = clamp(r[b] + (if done[b] then 0.0 else 0.99 * (-10 + 0.4 * f32(k))), -10, 10);
    m[b, j] = sum[k](p[b, k] * max(1 - abs((z[b, k] + 10) / 0.4 - j), 0));
}
check project_atoms(B = 13) with p in 0.0..0.04;
bench project_atoms(B = 200003) with p in 0.0..0.04;
