"""Prints a program of N definitions of a kind: generate.py KIND N."""
import random
import sys

kind, n = sys.argv[1], int(sys.argv[2])
ENTRY = "export fn f(x: f32[M, N]) -> (y: f32[M, N]) {"


def entry(lets, last):
    print(ENTRY, *lets, "    y[i, j] = %s[i, j];" % last, "}", sep="\n")


def let(k, e):
    return "    let t%d[i, j] = %s;" % (k, e)


def chain():
    return [let(0, "x[i, j]")] + [let(k, "t%d[i, j] * 1.5 + %d.0" % (k - 1, k)) for k in range(1, n)]


if kind == "chain":
    entry(chain(), "t%d" % (n - 1))
elif kind == "reverse":
    entry(chain()[::-1], "t%d" % (n - 1))
elif kind == "dag":  # each reads the one before and one of twenty before that
    r = random.Random(1)
    lets = [let(0, "x[i, j] * 2.0"), let(1, "x[i, j] * 3.0")]
    lets += [let(k, "exp(t%d[i, j]) + t%d[i, j]" % (k - 1, r.randrange(max(0, k - 20), k))) for k in range(2, n)]
    entry(lets, "t%d" % (n - 1))
elif kind == "functions":
    for k in range(n):
        print("fn g%d(x) = x + %d.0;" % (k, k))
    entry([let(0, "x[i, j]")] + [let(k, "g%d(t%d[i, j])" % (k, k - 1)) for k in range(1, n)], "t%d" % (n - 1))
elif kind == "calls":
    print("fn g(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = x[i, j] + 1.0; }")
    entry(["    let t0 = g(x);"] + ["    let t%d = g(t%d);" % (k, k - 1) for k in range(1, n)], "t%d" % (n - 1))
elif kind == "outputs":
    print("export fn f(x: f32[M, N]) -> (", ", ".join("y%d: f32[M, N]" % k for k in range(n)), ") {")
    for k in range(n):
        print("    y%d[i, j] = x[i, j] + %d.0;" % (k, k))
    print("}")
elif kind == "exports":
    for k in range(n):
        print("export fn entry%d(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = x[i, j] + %d.0; }" % (k, k))
elif kind == "products":
    print("export fn f(x: f32[M, N], w: f32[N, N]) -> (y: f32[M, N]) {", let(0, "x[i, j]"), sep="\n")
    for k in range(1, n):
        print(let(k, "sum[k](t%d[i, k] * w[k, j])" % (k - 1)))
    print("    y[i, j] = t%d[i, j];\n}" % (n - 1))
elif kind == "rows":  # of definitions, every other is a reduction
    lets = [let(0, "x[i, j]")]
    for k in range(1, n // 2):
        lets.append("    let m%d[i] = %s[j](t%d[i, j]);" % (k, "max" if k % 2 else "sum", k - 1))
        lets.append(let(k, "t%d[i, j] - m%d[i]" % (k - 1, k)))
    entry(lets, "t%d" % (n // 2 - 1))
