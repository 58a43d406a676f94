// Rows in blocks of 32 bytes of fp8 with one exponent, a power of two, for each block.
export fn shared_exponents(x: bf16[M, 32*G]) -> (q: f8e4m3[M, 32*G], e: u8[M, G]) {
    let top[i, g] = max[k in 0..32](abs(x[i, 32*g + k]));
    let p[i, g] = clamp(floor(log2(max(top[i, g], 1e-30))) - 8, -127, 127);
    e[i, g] = u8(p[i, g] + 127);
    q[i, j] = x[i, j] * exp2(-p[i, j / 32]);
}
check shared_exponents(M = 5, G = 3);
bench shared_exponents(M = 8192, G = 112);
