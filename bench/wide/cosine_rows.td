// The cosine between rows of odd length.
import "linalg";
export fn cosine_rows(x: f16[M, N], y: f16[M, N]) -> (z: f32[M]) { z = cosine_similarity(x, y); }
check cosine_rows(M = 5, N = 37);
bench cosine_rows(M = 65536, N = 777);
