fn rows<T>(x: T[N, N]) -> (y: T[N]) = x;
export rows_full = rows(T = bf16);
