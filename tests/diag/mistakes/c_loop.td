export fn total(x: f32[N]) -> (y: f32[]) {
    for (int i = 0; i < N; i++) y[] += x[i];
}
