// Divisors that may be 0: a quotient or remainder by 0 is 0, whatever it would be simplified to otherwise, and nothing is
// read from a tensor that is empty then. clause 6.3, clause 8.4

// Values: the normal form of each of these is i, or N.
export fn values(x: f32[N], z: i32[C], n: i64) -> (y: f32[N], w: i64[N], m: i64[N]) {
    y[i] = f32(i / C * C + i % C) + x[i];
    w[i] = sum[j in 0..N / C * C + N % C](i64(2)) + sum[j in 0..i / C * C + i % C + 1](j);
    m[i] = i / n * n + i % n;
}
check values(N = 5, C = 0, n = 0);
check values(N = 5, C = 2, n = 3);
check values(N = 0, C = 0, n = -3);

// Conditions that hold for every other divisor.
export fn conditions(x: f32[N], z: i32[C]) -> (y: f32[N], w: i64[N]) {
    y[i] = sum[j where j % C < C](x[j]) + (if i % C >= C then 10.0 else 1.0);
    w[i] = sum[j in 0..N where j % C < C](i64(1));
}
check conditions(N = 5, C = 0);
check conditions(N = 5, C = 3);

// Element 0 is there: the subscript is 0, not i.
export fn first(x: f32[M], z: i32[C]) -> (y: f32[N], w: f32[N]) {
    require N <= M;
    y[i] = x[i / C * C + i % C] + x[i % C / 2 + i / C / 2] + pad(x[i / C * C + i % C + 1], -1.0);
    let t: f32[i in N / C + 1, j in C + 1] = f32(i + 10 * j);
    w[i] = t[i / C, i % C];
}
check first(N = 5, M = 6, C = 0);
check first(N = 5, M = 6, C = 2);
check first(N = 3, M = 3, C = 7);

export fn by_data(x: f32[8], id: i32[N], m: i32[N], k: i64[N]) -> (y: f32[N], w: i64[N]) {
    assume 0 <= m[n] && m[n] <= 8;
    assume 0 <= k[n] && k[n] < 2;
    y[n] = x[id[n] % m[n]];
    w[n] = n / k[n] * k[n] + n % k[n];
}
check by_data(N = 40);

// Mixed radix: where D, K or G is 0 there is no element.
export fn heads(x: f32[B, H*D], q: f32[B, H, D]) -> (y: f32[B, H, D], z: f32[B, H*D]) {
    y[b, h, d] = x[b, h*D + d];
    z[b, i] = q[b, i / D, i % D];
}
check heads(B = 2, H = 3, D = 0);
check heads(B = 2, H = 0, D = 4);
check heads(B = 2, H = 3, D = 4);

export fn groups(x: f32[N, G*K], s: f32[G]) -> (y: f32[N, G*K], z: f32[N, K]) {
    y[n, c] = x[n, c] * s[c / K] + x[n, c % K];
    z[n, k] = sum[c in 0..G*K where c % K == k](x[n, c]);
}
check groups(N = 2, G = 3, K = 0);
check groups(N = 2, G = 0, K = 2);
check groups(N = 2, G = 3, K = 2);

// A require divides: it says that G is not 0.
export fn share(x: f32[N, C], s: f32[G]) -> (y: f32[N, C], z: f32[G, C / G]) {
    require C % G == 0;
    y[n, c] = x[n, c] * s[c / (C / G)];
    z[g, c] = max[n](x[n, g*(C / G) + c]);
}
check share(N = 2, C = 6, G = 3);
check share(N = 2, C = 0, G = 3);
check share(N = 2, C = 6, G = 0) error "G is 0";

// A length divides.
export fn pool(x: f32[W]) -> (y: f32[(W - 3) / S + 1]) {
    y[i] = max[r in 0..3](x[i*S + r]);
}
check pool(W = 9, S = 2);
check pool(W = 3, S = 5);
check pool(W = 9, S = 0) error "S is 0";

// Heads of keys that query heads share: no number R makes 0*R = 4.
fn query(q: f32[G*R, D], k: f32[G, D]) -> (s: f32[G*R]) { s[h] = sum[d](q[h, d] * k[h / R, d]); }
export fn shared_keys(q: f32[H, D], k: f32[G, D]) -> (s: f32[H]) { s = query(q, k); }
check shared_keys(H = 6, D = 4, G = 3);
check shared_keys(H = 0, D = 4, G = 0);
check shared_keys(H = 4, D = 4, G = 0) error "not divisible";

// What is around excludes 0: a branch, a guard, a range that would be empty, a condition on data.
export fn around(x: f32[N], s: f32[C], p: f32[C, C]) -> (y: f32[N], z: f32[N], u: f32[N], v: f32[C, N]) {
    y[i] = x[i] * (if C > 0 then s[i % C] else 2.0);
    z[i] = sum[j in 0..3 where C != 0](s[(i + j) % C]) + pad(s[i % C], 5.0);
    u[i] = sum[j in 0..C](s[i % C] * j);
    v[c, i] = p[c, i % C];
}
check around(N = 5, C = 0);
check around(N = 5, C = 3);

dim L in 1..;
export fn ranged(x: f32[N], s: f32[L]) -> (y: f32[N]) { y[i] = x[i] * s[i % L]; }
check ranged(N = 7, L = 1);
check ranged(N = 7, L = 3);

// A function of the host.
export fn rate(step: i32, every: i32) -> f32 = f32(step / every + step % every);
check rate(step = 7, every = 0);
check rate(step = 7, every = 2);

// A let that is written into a subscript brings its quotients along.
export fn through_lets(x: f32[N], z: i32[C]) -> (y: f32[N], w: f32[N]) {
    let t: i64[i in N] = i % C;
    y[i] = x[t[i]] + x[(i / C * C + i % C + t[i]) / 2];
    w[i] = x[i / C * C + t[i]];
}
check through_lets(N = 9, C = 0);
check through_lets(N = 9, C = 4);

// Pieces, scatters, nested quotients, ranges.
export fn more(x: f32[N], ids: i32[N], z: i32[C], w: f32[D], c: i32) -> (y: f32[N], u: f32[8], v: f32[N], r: f32[N]) {
    require 0 <= c && c <= 8;
    y[i] = x[i] where i % C < C;
    y[i] = 2.0 where i % C >= C;
    u[ids[n] % c] += x[n];
    v[i] = x[i / C / D] + x[i / (C*D)] + x[i % C % D / 2 * 2];
    r[i] = sum[j in 0..N / C](x[j*C]) + max[j in 0..N / C + 1 where j*C < N](x[j*C]);
}
check more(N = 9, C = 0, D = 2, c = 0);
check more(N = 9, C = 2, D = 0, c = 3);
check more(N = 9, C = 2, D = 3, c = 8);
