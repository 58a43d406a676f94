// Dimensions with limits: no version is made for sizes that there are not. (A choice with a case that no sizes come to
// is no legal program.)
dim C in 1..=1024;
dim D in 1..=64 hint 32;
export fn rows(x: f32[M, 4*C]) -> (y: f32[M]) { y[i] = sum[j](x[i, j]); }
export fn hinted(x: f32[M, D]) -> (y: f32[M]) { y[i] = max[j](x[i, j]); }
export fn spread(x: f32[4*C]) -> (y: f32[4*C, 4*C]) { y[i, j] = sum[k in 0..4*C](x[i] * 2.0 - x[k]) * x[j]; }
check rows(M = 3, C = 5); check hinted(M = 4, D = 7); check spread(C = 3);
