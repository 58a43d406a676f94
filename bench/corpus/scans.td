// Scans: every prefix of a row or of a column.
export fn scan_rows(x: bf16[M, N]) -> (y: f32[M, N]) { y[i, j] = sum[k where k <= j](f32(x[i, k])); }
bench scan_rows(M = 16384, N = 1024);
bench scan_rows(M = 1000, N = 30001);
bench scan_rows(M = 200000, N = 128);
bench scan_rows(M = 64, N = 500000);

export fn scan_exclusive(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = sum[k where k < j](x[i, k]); }
bench scan_exclusive(M = 4096, N = 4096);
bench scan_exclusive(M = 300000, N = 40);
bench scan_exclusive(M = 1000, N = 20000);

export fn scan_max(x: bf16[M, N]) -> (y: bf16[M, N]) { y[i, j] = max[k where k <= j](x[i, k]); }
bench scan_max(M = 8192, N = 4096);
bench scan_max(M = 6000, N = 777);
bench scan_max(M = 100000, N = 300);
bench scan_max(M = 300, N = 100000);

export fn scan_columns(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = sum[k where k <= i](x[k, j]); }
bench scan_columns(M = 1024, N = 16384);
bench scan_columns(M = 64, N = 300000);
bench scan_columns(M = 10000, N = 2000);
bench scan_columns(M = 2048, N = 6000);

export fn scan_behind(x: f32[B, T, D]) -> (y: f32[B, T, D]) { y[b, t, d] = sum[k where k >= t](x[b, k, d]); }
bench scan_behind(B = 64, T = 256, D = 1024);
bench scan_behind(B = 512, T = 1000, D = 24);
bench scan_behind(B = 16, T = 4096, D = 256);
bench scan_behind(B = 2000, T = 64, D = 100);

export fn scan_share(x: f32[M, N]) -> (y: f32[M, N]) {
    let s[i] = sum[k](x[i, k]);
    y[i, j] = sum[k where k <= j](x[i, k]) / (s[i] + 1e6);
}
bench scan_share(M = 8192, N = 2048);
bench scan_share(M = 40000, N = 300);
bench scan_share(M = 2048, N = 8192);
bench scan_share(M = 1000, N = 15001);
