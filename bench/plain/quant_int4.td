// Weights to four bits, packed in pairs, with a scale and a zero for each 32 of a row.
export fn quant_int4(x: bf16[M, 32*G]) -> (q: u8[M, 16*G], scale: f16[M, G], zero: u8[M, G]) {
    let lo[i, g] = min[k in 0..32](x[i, 32*g + k]);
    let hi[i, g] = max[k in 0..32](x[i, 32*g + k]);
    let s[i, g] = max((hi[i, g] - lo[i, g]) / 15, 1e-6);
    let z[i, g] = clamp(round(-lo[i, g] / s[i, g]), 0, 15);
    let n[i, j] = u8(clamp(round(x[i, j] / s[i, j / 32]) + z[i, j / 32], 0, 15));
    q[i, j] = u8(n[i, 2*j] | n[i, 2*j + 1] << 4);
    scale[i, g] = s[i, g];
    zero[i, g] = u8(z[i, g]);
}
check quant_int4(M = 5, G = 3);
bench quant_int4(M = 11008, G = 128);
