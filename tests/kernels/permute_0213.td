// Exchanges the two middle axes of a 4-D tensor.
export fn permute_0213(x: bf16[B, S, H, 128]) -> (y: bf16[B, H, S, 128]) {
    y[b, h, s, d] = x[b, s, h, d];
}

check permute_0213(B = 1, S = 1, H = 1);
check permute_0213(B = 2, S = 7, H = 3);
check permute_0213(B = 1, S = 9, H = 35);
bench permute_0213(B = 16, S = 2048, H = 32);
