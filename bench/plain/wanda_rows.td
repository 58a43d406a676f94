// Weights of each row whose size times the input's norm is below the median of the row are set to 0.
import "index";
export fn wanda_rows(w: f16[M, N], sq: f32[N]) -> (y: f16[M, N], cut: f32[M]) {
    let s[i, j] = abs(w[i, j]) * sqrt(sq[j]);
    let m = median(s);
    cut[i] = m[i];
    y[i, j] = if s[i, j] > m[i] then w[i, j] else 0;
}
check wanda_rows(M = 5, N = 37) with sq in 0.5..2.0;
bench wanda_rows(M = 2048, N = 4096) with sq in 0.5..2.0;
