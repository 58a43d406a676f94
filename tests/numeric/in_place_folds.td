// Updates in place whose new values are made of folds: of the elements themselves, which stay in the kernel that changes
// them where each is folded and stored at one place, and of others, whose first thread alone reads what was there.
export fn softmax_in_place(inout x: f32[M, N]) {
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp(x[i, j] - m[i]));
    x[i, j] = exp(x[i, j] - m[i]) / s[i];
}
check softmax_in_place(M = 5, N = 37);
check softmax_in_place(M = 3, N = 1025);
check softmax_in_place(M = 1, N = 20000);
check softmax_in_place(M = 0, N = 3);
check softmax_in_place(M = 2, N = 1);

// what is read is also looked up, at a place that is data: that is another element
export fn less_first(inout x: f32[M, N], at: i32[M]) -> (y: f32[M]) {
    assume 0 <= at[i] && at[i] < N;
    y[i] = x[i, at[i]];
    x[i, j] = x[i, j] - x[i, at[i]] + mean[k](x[i, k]);
}
check less_first(M = 5, N = 37);
check less_first(M = 2, N = 515);

// columns are added to what is there, in every form: one block, lanes and warps, clusters, shares
export fn column_updates(inout w: f32[N], inout b: f16[N], x: f16[M, N], y: f16[M, N]) {
    w[j] += sum[i](x[i, j] * y[i, j]);
    b[j] = b[j] * 0.5 + sum[i](y[i, j]);
}
check column_updates(M = 0, N = 5);
check column_updates(M = 1, N = 1);
check column_updates(M = 70, N = 33);
check column_updates(M = 3000, N = 8);

// rows and columns at once
export fn norm_updates(inout dx: f32[M, N], inout dw: f32[N], inout db: f32[N], dy: f32[M, N], x: f32[M, N], w: f32[N]) {
    let mu[i] = mean[j](x[i, j]);
    let rs[i] = rsqrt(mean[j]((x[i, j] - mu[i]) ** 2) + 0.001);
    let a[i] = mean[j](dy[i, j] * w[j]);
    let c[i] = mean[j](dy[i, j] * w[j] * (x[i, j] - mu[i]) * rs[i]);
    dx[i, j] += rs[i] * (dy[i, j] * w[j] - a[i] - (x[i, j] - mu[i]) * rs[i] * c[i]);
    dw[j] += sum[i](dy[i, j] * (x[i, j] - mu[i]) * rs[i]);
    db[j] += sum[i](dy[i, j]);
}
check norm_updates(M = 5, N = 37);
check norm_updates(M = 90, N = 64);
check norm_updates(M = 1, N = 1);

// one reads what the other changes, and the other way round: both keep what they need of the values before
export fn each_other(inout a: f32[M, N], inout b: f32[M, N]) {
    a[i, j] = a[i, j] + sum[k](b[i, k]);
    b[i, j] = b[i, j] - max[k](a[i, k]);
}
check each_other(M = 7, N = 33);
check each_other(M = 1, N = 1000);

// across rows: what a row folds others change
export fn transposed_sums(inout x: f32[N, N]) { x[i, j] = x[i, j] + sum[k](x[k, i]); }
check transposed_sums(N = 40);
export fn running(inout x: i32[M, N]) { x[i, j] = sum[k in 0..j + 1](x[i, k]); }
check running(M = 3, N = 300);
export fn whole(inout x: f32[M, N]) { let t = sum[i, j](x[i, j] * x[i, j]); x[i, j] = x[i, j] * rsqrt(t + 1.0); }
check whole(M = 3, N = 37);
check whole(M = 100, N = 37);

// All that is stored is a reduction that reads the element itself: no thread may have stored it before others have read it.
export fn own_maximum(x: f32[C], inout p: f32[B]) { p[i] = max[j](p[i] - x[j] + 2); }
check own_maximum(C = 8, B = 3);
check own_maximum(C = 300, B = 2);
check own_maximum(C = 0, B = 5);
check own_maximum(C = 3, B = 0);
