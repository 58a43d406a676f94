// A token in front of each image's patches, and positions added to all.
export fn class_token(x: bf16[B, S, D], t: bf16[D], pos: bf16[S + 1, D]) -> (y: bf16[B, S + 1, D]) {
    y[b, 0, d] = t[d] + pos[0, d];
    y[b, 1 + s in S, d] = x[b, s, d] + pos[1 + s, d];
}
check class_token(B = 3, S = 5, D = 24);
bench class_token(B = 128, S = 196, D = 768);
