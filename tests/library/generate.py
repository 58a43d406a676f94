"""Writes a td file of matrix products for each pair of types that cuBLASLt has: by rows and by columns on both sides, with a factor, a vector,
a matrix and an epilogue, and checks at odd sizes. Usage: generate.py DIR large|small"""
import sys

TYPES = [("f64", "f64"), ("f32", "f32"), ("f16", "f16"), ("f16", "f32"), ("bf16", "bf16"), ("bf16", "f32"), ("i8", "i32"), ("f8e4m3", "f16"), ("f8e4m3", "bf16")]
LARGE = [(1, 7, 129), (129, 1, 7), (7, 129, 1000), (1000, 7, 129), (129, 1000, 1), (1000, 129, 7), (128, 64, 256)]
SMALL = [(1, 7, 9), (16, 16, 32), (13, 1, 7)]
directory, sizes = sys.argv[1], LARGE if sys.argv[2] == "large" else SMALL
for factor, result in TYPES:
    lines, names = [], []
    for transposed in range(4):
        x, at = ("K, M", "k, i") if transposed & 1 else ("M, K", "i, k")
        w, wt = ("N, K", "j, k") if transposed & 2 else ("K, N", "k, j")
        product = f"sum[k](x[{at}] * w[{wt}])"
        forms = {"plain": ("", product)}
        if result != "i32":
            forms["affine"] = (f", b: {result}[N], r: {result}[M, N]", f"0.5 * {product} + b[j] - 2 * r[i, j]")
            if result != "f64":
                forms["relu"] = (f", b: {result}[N]", f"max({product} + b[j], 0)")
        if sizes is SMALL:  # all of them are compiled for the large ones
            last = list(forms)[-1]
            forms = {last: forms[last]}
        for form, (inputs, value) in forms.items():
            name = f"{form}_{'nt'[transposed & 1]}{'nt'[transposed >> 1]}"
            lines.append(f"export fn {name}(x: {factor}[{x}], w: {factor}[{w}]{inputs}) -> (y: {result}[M, N]) {{ y[i, j] = {value}; }}")
            names.append(name)
    lines += [f"check {name}(M = {m}, N = {n}, K = {k});" for name in names for m, n, k in sizes]
    with open(f"{directory}/{factor}_{result}.td", "w") as f:
        f.write("\n".join(lines) + "\n")
