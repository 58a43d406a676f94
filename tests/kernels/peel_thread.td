// One thread has a row of any length: the loop's variable is not the index, which starts where the row is aligned.
export fn peel_thread(w: bf16[M, N]) -> (r: f32[M]) { r[i] = sum[j](w[i, j]); }
check peel_thread(M = 3, N = 1037);
check peel_thread(M = 5, N = 37);
check peel_thread(M = 2, N = 1);
check peel_thread(M = 2, N = 0);
