// Loads of experts from the tokens' choices, and their biases, moved a little against it.
export fn expert_bias_update(ids: u8[T, 8], inout bias: f32[256], speed: f32) -> (load: i32[256], worst: f32[]) {
    load[i32(ids[t, k])] += 1;
    let m = mean[e](f32(load[e]));
    bias[e] = bias[e] + speed * sign(m - f32(load[e]));
    worst[] = max[e](f32(load[e])) / max(m, 1);
}
check expert_bias_update(T = 131, speed = 0.001) with ids in 0..256;
bench expert_bias_update(T = 2000003, speed = 0.001) with ids in 0..256;
