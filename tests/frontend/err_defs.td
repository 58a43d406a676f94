// Definitions that are missing, double, cyclic or misplaced.
export fn cycle(x: f32[N]) -> (y: f32[N]) {
    let a[i] = b[i] + x[i];   // expect error[E0700]: a is needed for its own definition
    let b[i] = a[i] * 2.0;
    y[i] = b[i];
}

export fn missing(x: f32[N]) -> (y: f32[N], z: f32[N]) { // expect error[E0701]: the output z is not defined
    y[i] = x[i];
}

export fn twice(x: f32[N]) -> (y: f32[N]) {
    y[i] = x[i];
    y[i] = -x[i];             // expect error[E0702]: cannot prove that the pieces of y are disjoint
}

export fn overlap(a: f32[N], b: f32[N]) -> (y: f32[2*N]) {
    y[i in N] = a[i];
    y[i + N - 1] = b[i];      // expect error[E0702]: cannot prove that the pieces of y are disjoint
}

export fn gap(a: f32[N]) -> (y: f32[2*N]) { // expect error[E0703]: cannot prove that the pieces of y cover it
    y[2*i] = a[i];
}

export fn diagonal(x: f32[N]) -> (y: f32[N, N]) {
    y[i, i] = x[i];           // expect error[E0708]: i stands twice
}

export fn inputs(x: f32[N]) -> (y: f32[N]) {
    let t[i] = x[i];
    x[i] = 1.0;               // expect error[E0706]: x is an input
    t[i] = 2.0;               // expect error[E0301]: t is defined twice
    yy[i] = t[i];             // expect error[E0310]: yy is no output
    y[i] = t[i];
}

export fn negative(x: f32[N], k: i32[N]) -> (y: f32[N]) {
    require k[0] > 0;         // expect error[E0602]: k[0]
    y[i] = x[i];
}

export fn host(x: f32[N], k: i32[]) -> (y: f32[N]) {
    require k[] > 0;          // expect error[E0407]: require is checked on the host
    y[i] = x[i];
}

export fn heads(o: f16[H, T, D]) -> (y: f16[T, H*D]) {
    y[t, h*H + d] = o[h, t, d];   // expect error[E0606]: is out of range
}

export fn wraps(a: f32[N, 4]) -> (y: f32[4*N]) {
    y[3*i + k] = a[i, k];         // expect error[E0710]: cannot prove that this defines each element of y once
}

export fn guards(x: f32[N], k: int) -> (y: f32[N]) { // expect error[E0703]: cannot prove that the pieces of y cover it
    y[i] = x[i] where i < k;
    y[i] = -x[i] where i > k;
}

export fn both(x: f32[N], k: int) -> (y: f32[N]) {
    y[i] = x[i] where i <= k;
    y[i] = -x[i] where i >= k;    // expect error[E0702]: cannot prove that the pieces of y are disjoint
}

// Updates.
fn sgd(inout w: f32[N], g: f32[N]) { w[n] = w[n] - g[n]; }
fn dbl(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }
export fn update_input(inout w: f32[N], g: f32[N]) {
    sgd(g, w);                // expect error[E0715]: w of sgd is inout: it takes a whole inout parameter of the caller
}
export fn update_twice(inout w: f32[N], g: f32[N]) {
    sgd(w, g);
    sgd(w, g);                // expect error[E0702]: w is updated by two calls
}
export fn update_both(inout w: f32[N], g: f32[N]) {
    sgd(w, g);
    w[i] += g[i];             // expect error[E0702]: w is defined here and by a call
}
export fn idle(inout w: f32[N], g: f32[N]) {
    dbl(g);                   // expect error[E0712]: this call defines nothing
    w[i] += g[i];
}
export fn wider(inout w: bf16[N], g: f32[N]) {
    sgd(w, g);                // expect error[E0401]: w is f32[...], the argument is bf16[...]
}
export fn let_parts(x: f32[N]) -> (y: f32[N]) {
    let t[i] = x[i] where i > 0; // expect error[E0707]: a let defines all its elements: it has no where
    let u[0] = 1.0;           // expect error[E0707]: a let defines all its elements: its subscripts are variables
    y[i] = t[i] + u[i];
}
export fn where_to(x: f32[N], p: i32[N]) -> (y: f32[N]) {
    y[p[i]] += x[i];          // expect error[E0606]: y[p[i]] may be out of range
}
export fn permuted(x: f32[N], p: i32[N]) -> (y: f32[N]) {
    assume 0 <= p[i] && p[i] < N;
    y[p[i]] = x[i];           // expect error[E0703]: nothing defines the elements of y that data do not name
}
export fn scattered_twice(x: f32[N], p: i32[N], q: i32[N]) -> (y: f32[N]) {
    assume 0 <= p[i] && p[i] < N && 0 <= q[i] && q[i] < N;
    y[i] = 0;
    y[p[i]] = x[i];
    y[q[i]] = x[i];           // expect error[E0702]: two equations of y name its elements by data
}
export fn scattered_beside(x: f32[N], p: i32[N]) -> (y: f32[N]) { // expect error[E0703]: cannot prove that the pieces of y cover it
    assume 0 <= p[i] && p[i] < N;
    y[p[i]] = x[i];
    y[i] = 0 where i > 2;
}
export fn mixed(x: f32[N], p: i32[N]) -> (y: f32[N]) {
    y[i] = x[i];
    y[p[i]] += x[i] where 0 <= p[i] && p[i] < N; // expect error[E0709]: y is updated by += here and by = elsewhere
}
