// A sum over all elements that only the conditions of equations read is stored apart.
export fn guard_of_sum(x: f32[N]) -> (y: f32[N]) {
    let s[] = sum[i](x[i]);
    y[i] = x[i] where s[] > 0;
    y[i] = 2 * x[i] where !(s[] > 0);
}
