// A sum over all elements that only the conditions of equations read is stored apart: at once where there are known to be
// many, else as a division of the groups.
dim N hint 4194304;
export fn known(x: f32[N]) -> (y: f32[N]) {
    let s[] = sum[i](x[i]);
    y[i] = x[i] where s[] > 0;
    y[i] = 2 * x[i] where !(s[] > 0);
}
export fn unsaid(x: f32[M]) -> (y: f32[M]) {
    let s[] = sum[i](x[i]);
    y[i] = x[i] where s[] > 0;
    y[i] = 2 * x[i] where !(s[] > 0);
}
