// What is added to the scores of packed documents: each sees its own past up to a window, and its prefix wholly.
export fn document_mask(doc: i32[B, S], prefix: i32[B], window: int) -> (y: bf16[B, S, S]) {
    y[b, i, j] = if doc[b, i] == doc[b, j] && (j < prefix[b] || j <= i && i - j < window) then 0 else -inf;
}
check document_mask(B = 2, S = 37, window = 9) with doc in 0..3, prefix in 0..10;
bench document_mask(B = 8, S = 2048, window = 512) with doc in 0..3, prefix in 0..500;
