export fn hist(k: i32[N, C]) -> (h: i32[C, bins]) { h[c, clamp(k[n, c], 0, bins - 1)] += 1; }
