// Ranges that are unknown, disagree, or leave a tensor.
dim W in 3..100000;

export fn shift(x: f32[W]) -> (y: f32[W], z: f32[W], u: f32[W - 2], v: f32[W]) {
    y[i] = x[i + 1];                                  // expect error[E0602]: x[i + 1] is out of range: subscript 0, i + 1, is beyond W
    z[i] = if i > 0 then x[i - 2] else 0.0;           // expect error[E0602]: i - 2, is negative for
    u[i] = sum[r in 0..4](x[i + r]);                  // expect error[E0602]: out of range
    v[i] = if i + 1 < W then x[i + 1] else x[i];
}

export fn unknown(x: f32[W]) -> (y: f32[W / 2], z: f32[W]) {
    y[i] = sum[r](x[2 * i + r]);                      // expect error[E0600]: nothing says how far r runs
    z[i] = sum[k](if k < i then x[k] else 0.0);       // expect error[E0600]: nothing says how far k runs
}

export fn disagree(a: f32[M, K], b: f32[L, N]) -> (c: f32[M, N]) {
    c[i, j] = sum[k](a[i, k] * b[k, j]);              // expect error[E0601]: the uses of k disagree: 0..K and 0..L
}

export fn agree(a: f32[M, K], b: f32[L, N]) -> (c: f32[M, N]) {
    require K == L;
    c[i, j] = sum[k](a[i, k] * b[k, j]);
}

export fn data(ids: i32[N], w: f32[V]) -> (y: f32[N], z: f32[N]) {
    assume 0 <= ids[n];
    y[n] = w[ids[n]];                                 // expect error[E0605]: w[ids[n]] may be out of range
    z[n] = if ids[n] < V then w[ids[n]] else 0.0;
}

export fn pitched(x: f32[M, LD]) -> (y: f32[M, N]) {
    y[i, j] = x[i, j];                                // expect error[E0602]: subscript 1, j, is beyond LD
}

export fn ranks(x: f32[M, N]) -> (y: f32[M]) {
    y[i] = x[i];                                      // expect error[E0500]: the tensor has 2 dimensions
}

export fn left(x: f32[M, N]) -> (y: f32[M]) {
    y[i, j] = x[i, j];                                // expect error[E0500]: y has 1 dimensions, these are 2
}

export fn conv(x: f32[W], f: f32[3]) -> (y: f32[W - 1]) {
    y[p] = sum[r](x[p + r] * f[r]);                   // expect error[E0602]: x[p + r] is out of range: subscript 0, p + r, is beyond W
}

export fn pool(x: f32[W]) -> (y: f32[(W + 1)/2]) {
    y[p] = max[r in 0..2](x[2*p + r]);                // expect error[E0602]: is beyond W
}

export fn group(x: f32[8*K]) -> (y: f32[8]) {
    y[g] = sum[k in 0..K + 1](x[g*K + k]);            // expect error[E0602]: g*K + k
}

export fn flipped(x: f32[N]) -> (y: f32[N], z: f32[N]) {
    y[i] = x[N - i];                                  // expect error[E0602]: is beyond N
    z[i] = x[N - 1 - i];
}

export fn late(x: f32[N], s: i32[B]) -> (y: f32[B]) {
    assume s[b] <= N;
    y[b] = sum[n in s[b]..N](x[n]);                   // expect error[E0604]: cannot prove that x[n] is in range
}

// Of two cases assumed, nothing here excludes one.
export fn either(x: f32[V], t: i64[N], none: i64) -> (y: f32[N]) {
    assume t[n] == none || 0 <= t[n] && t[n] < V;
    y[n] = if t[n] != 0 then x[t[n]] else 0.0;        // expect error[E0605]: x[t[n]] may be out of range
}
