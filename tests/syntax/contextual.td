// Words that mean something in one place only are names everywhere else.
dim hint in 0..tol hint hint divisible divisible;
fn error(with, tol: f32, hint: int = 3) -> (divisible: f32[hint]) {
    let tol[with] = error(tol = 3, with = with) + hint;
    divisible[with] = tol[with] where with > hint;
}
fn given(each, max, min, sum, new, acc, int, lse) = max(each, min) + sum[new](acc[int]) + lse;
check error(hint = 3) with with in 0..hint, tol ~ tol tol tol error "error";
check hint(error = 1) error "two";
