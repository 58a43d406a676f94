// Of a matrix of distances the farthest of the same label and the nearest of another, and the loss with a margin.
export fn hardest_triplets(d: f32[N, N], label: i32[N], margin: f32) -> (far: f32[N], near: f32[N], loss: f32[], active: i32[]) {
    far[i] = max[j where label[i] == label[j] && i != j](d[i, j]);
    near[i] = min[j where label[i] != label[j]](d[i, j]);
    loss[] = mean[i where far[i] > -inf && near[i] < inf](max(far[i] - near[i] + margin, 0));
    active[] = sum[i](far[i] - near[i] + margin > 0);
}
check hardest_triplets(N = 37, margin = 0.3) with d in 0.0..2.0, label in 0..5;
bench hardest_triplets(N = 5003, margin = 0.3) with d in 0.0..2.0, label in 0..500;
