// Rows that lie in the registers of a thread alone, each with a start of its own: lengths of all alignments, shorter than one register and longer.
export fn peel_registers(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let m[i] = max[j](x[i, j]);
    y[i, j] = x[i, j] - m[i];
}
check peel_registers(M = 67, N = 1);
check peel_registers(M = 67, N = 5);
check peel_registers(M = 35, N = 8);
check peel_registers(M = 33, N = 23);
check peel_registers(M = 3, N = 25);
check peel_registers(M = 0, N = 3);
