"""Writes hostile sources into the current folder, and prints one line for each: file, the exit status expected, and a
part of what is said ("-": anything). Seeded: the same files every time."""
import os
import random
import sys

HEAD = "export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = "
TAIL = "; }\n"
many = int(sys.argv[1]) if len(sys.argv) > 1 else 10**6


def put(name, text, status, says="-"):
    with open(name, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    print(name, status, says)


def value(name, e, status, says="-"):
    put(name, HEAD + e + TAIL, status, says)


def nesting():
    value("parens.td", "(" * many + "x[i]" + ")" * many, 1, "E0005")
    put("open_parens.td", HEAD + "(" * many, 1, "E0005")
    value("signs.td", "-" * many + "x[i]", 1, "E0005")
    value("nots.td", "if " + "!" * many + "(x[i] > 0.0) then 1.0 else 2.0", 1, "E0005")
    value("powers.td", " ** ".join(["x[i]"] * many), 1, "E0005")
    value("ifs.td", "if x[i] > 0.0 then 1.0 else " * (many // 10) + "2.0", 1, "E0005")
    value("loads.td", "x[" * many + "i" + "]" * many, 1, "E0005")
    value("postfixes.td", "x" + "[i]" * many, 1, "E0005")
    value("calls.td", "exp(" * many + "x[i]" + ")" * many, 1, "E0005")
    value("conditions.td", "if " + " && ".join(["x[i] > 0.0"] * (many // 10)) + " then 1.0 else 2.0", 1, "E0005")
    value("sums.td", "".join("sum[k%d in 0..3](" % k for k in range(300)) + "x[i]" + ")" * 300, 1, "E0005")
    put("brackets.td", "[" * many, 1)
    put("braces.td", "{" * many, 1)
    put("generic_brackets.td", "fn f" + "<" * many, 1)
    put("closing.td", ")}]" * (many // 3), 1)
    put("semicolons.td", ";" * many, 1)


def length():
    value("terms.td", " + ".join(["x[i]"] * many), 1, "E0006")
    value("terms_5000.td", " + ".join("x[i] * %d.0" % k for k in range(5000)), 0)
    value("terms_if.td", "if x[i] > 0.0 then " + " + ".join("x[i] * %d.0" % k for k in range(1500)) + " else 1.0", 0)
    value("factors_3000.td", " * ".join("x[(i + %d) %% N]" % (k % 7) for k in range(3000)), 0)
    put("pieces.td", "export fn f(x: f32[N]) -> (y: f32[100000]) {\n" + "".join("y[%d] = %d.0;\n" % (k, k) for k in range(10**5)) + "}", 1, "E0006")
    put("pieces_512.td", "export fn f(x: f32[N]) -> (y: f32[512*N]) {\n" + "".join("y[i + %d*N] = x[i];\n" % k for k in range(512)) + "}", 0)
    put("requires.td", HEAD + "x[i];\n" + "".join("require N != %d;\n" % (k + 5) for k in range(10**5)) + "}", 0)
    put("parameters.td", "export fn f(" + ", ".join("x%d: f32[N]" % k for k in range(10**5)) + ") -> (y: f32[N]) { y[i] = x0[i]; }", 1, "E0006")
    put("rank.td", "export fn f(x: f32[" + ", ".join("N%d" % k for k in range(10**5)) + "]) -> (y: f32[N0]) { y[i] = 1.0; }", 1, "E0006")
    put("rank_13.td", "export fn f(x: f32[" + ", ".join("N%d" % k for k in range(13)) + "]) -> (y: f32[N0]) { y[i] = 1.0; }", 1, "E0006")
    put("generics.td", "fn g<" + ", ".join("T%d" % k for k in range(10**5)) + ">(x) = x;\n" + HEAD + "x[i]" + TAIL, 1, "E0006")
    value("bound.td", "sum[" + ", ".join("k%d in 0..2" % k for k in range(4000)) + "](x[i])", 1)
    value("integer.td", "9" * many, 1, "E0106")
    value("hexadecimal.td", "0x" + "F" * many, 1, "E0106")
    value("float.td", "1" + "0" * many + ".0", 1, "E0106")
    value("exponent.td", "1e" + "9" * many, 1, "E0106")
    value("name.td", "a" * many, 1, "E0300")
    put("string.td", 'require N > 0, "' + "a" * many + '";\n' + HEAD + "x[i]" + TAIL, 0)
    put("dims.td", "".join("dim D%d;\n" % k for k in range(10**5)) + HEAD + "x[i]" + TAIL, 0)
    put("checks.td", HEAD + "x[i]" + TAIL + "check f(N = 3);\n" * 10**5, 0)
    put("twice.td", "fn g(x) = x;\n" * 10**5 + HEAD + "x[i]" + TAIL, 1, "E0301")
    put("unknown.td", "export fn f(x: f32[N]) -> (y: f32[N]) {" + "".join("let a%d[i] = q%d[i];\n" % (k, k) for k in range(10**5)) + " y[i] = a0[i]; }", 1, "E0300")
    put("outputs.td", "export fn f(x: f32[N]) -> (" + ", ".join("y%d: f32[N]" % k for k in range(1000)) + ") {" + "".join("y%d[i] = x[i] + %d.0;" % (k, k) for k in range(1000)) + "}", 0)
    put("comment_16M.td", "// " + "a" * (16 * 2**20 - 100) + "\n" + HEAD + "x[i]" + TAIL, 0)
    put("over_16M.td", "// " + "a" * (16 * 2**20) + "\n" + HEAD + "x[i]" + TAIL, 1, "E0004")
    lines = "".join("fn g%d(x) = x + %d.0;\n" % (k, k) for k in range(600000))
    put("functions_16M.td", lines[: lines.rindex("\n", 0, 16 * 2**20 - 200) + 1] + HEAD + "g0(x[i])" + TAIL, 0)
    put("reverse.td", "export fn f(x: f32[N]) -> (y: f32[N]) {\n" + "".join(" let t%d[i] = t%d[i] + 1.0;\n" % (k, k - 1) for k in range(9999, 0, -1)) + " let t0[i] = x[i];\n y[i] = t9999[i];\n}\n", 0)


def bytes_of_all_kinds():
    r = random.Random(1)
    put("random.td", bytes(r.randrange(256) for _ in range(many)), 1)
    put("ascii.td", bytes(r.randrange(32, 127) for _ in range(many)), 1)
    put("nul.td", b"\0" * many, 1, "E0102")
    put("nul_inside.td", HEAD + "x[i]\0" + TAIL, 1, "E0102")
    put("utf8.td", bytes(r.randrange(128, 256) for _ in range(many)), 1)
    put("utf8_comment.td", b"// \xff\xfe\n" + (HEAD + "x[i]" + TAIL).encode(), 1, "E0101")
    put("comment.td", "/* " * (many // 10) + HEAD + "x[i]" + TAIL, 1, "E0103")
    put("quote.td", 'import "' + "a" * many, 1, "E0104")
    put("empty.td", "", 1, "E0802")


def dimensions():
    huge = {"2_62": "4611686018427387904", "2_63": "9223372036854775808", "less": "-1", "zero": "0", "digits": "9" * 30,
            "product": "4611686018427387904 * 4", "times": "4611686018427387904 * N", "by_zero": "N / 0",
            "modulo": "5 % 0", "minus": "N - 5", "float": "1.5", "least": "(-9223372036854775807 - 1) / (-1)"}
    for name, d in huge.items():
        ok = "01" if name in ("2_62", "zero", "times", "minus", "product") else "1"
        put("in_%s.td" % name, "export fn f(x: f32[%s, N], z: f32[N]) -> (y: f32[N]) { y[i] = z[i] + sum[k](x[k, i]); }" % d, ok)
        put("out_%s.td" % name, "export fn f(z: f32[N]) -> (y: f32[%s, N]) { y[k, i] = z[i]; }" % d, ok)
        put("dim_%s.td" % name, "dim N in 0..%s;\n%sx[i]%s" % (d, HEAD, TAIL), "01" if name == "2_62" else "1")
        put("range_%s.td" % name, HEAD + "x[i] + sum[k in 0..%s](f32(k))" % d + TAIL, "01")
    put("volume.td", "export fn f(z: f32[2147483648, 2147483648, 2147483648, 16]) -> (y: f32[2147483648, 2147483648, 2147483648, 16]) { y[i, j, k, l] = z[i, j, k, l]; }", 1, "E0006")
    put("divisible.td", "dim N divisible 9223372036854775807 hint 3;\ndim M divisible 0;\nexport fn f(z: f32[N, M]) -> (y: f32[N, M]) { y[i, j] = z[i, j]; }", 1)
    value("shift.td", "f32(i64(1) << 9999999999) + f32(1 << i)", "01")


def functions():
    n = 64
    put("recursive.td", "fn g(x) = g(x) + 1.0;\n" + HEAD + "g(x[i])" + TAIL, 1, "E0714")
    put("mutual.td", "fn g(x) = h(x) + h(x);\nfn h(x) = g(x) + g(x);\n" + HEAD + "g(x[i])" + TAIL, 1)
    put("tensor_recursive.td", "fn g(x: f32[N]) -> (y: f32[N]) { y = g(x); }\nexport fn f(x: f32[N]) -> (y: f32[N]) { y = g(x); }", 1, "E0714")
    put("doubling.td", "fn g0(x) = x + x;\n" + "".join("fn g%d(x) = g%d(x * 1.5) + g%d(x + 2.0);\n" % (k, k - 1, k - 1) for k in range(1, n)) + HEAD + "g%d(x[i])" % (n - 1) + TAIL, 1, "E0006")
    put("tensor_doubling.td", "fn g0(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] + 1.0; }\n" + "".join("fn g%d(x: f32[N]) -> (y: f32[N]) { let a = g%d(x); let b = g%d(x); y[i] = a[i] + b[i]; }\n" % (k, k - 1, k - 1) for k in range(1, n)) + "export fn f(x: f32[N]) -> (y: f32[N]) { y = g%d(x); }" % (n - 1), 1, "E0006")
    put("deep_generics.td", "".join("fn g%d<T, K: int>(x: T[N]) -> (y: T[N]) { y = g%d(x, K = K + 1); }\n" % (k, k + 1) for k in range(200)) + "fn g200<T, K: int>(x: T[N]) -> (y: T[N]) { y[i] = x[i]; }\nexport fn f(x: f32[N]) -> (y: f32[N]) { y = g0(x, K = 0); }", 1, "E0714")
    put("packs.td", "fn g(x: f32[" + ", ".join("A%d..." % k for k in range(1000)) + "]) -> (y: f32[A0...]) { y = x; }\nexport fn f(x: f32[N]) -> (y: f32[N]) { y = g(x); }", 1)


def shared():
    """Expressions that are small as a graph and exponential as a tree."""
    for name, type_, first, step in (
        ("shared_data.td", "f32", "x[i]", "t{0}[i] * t{0}[i] + 0.5"),
        ("shared_integers.td", "i32", "i32(i) ^ 5", "t{0}[i] * t{0}[i] + i32(i)"),
    ):
        put(name, "export fn f(x: %s[N]) -> (y: %s[N]) {\n let t0[i in 0..N] = %s;\n" % (type_, type_, first) + "".join(" let t%d[i] = %s;\n" % (k, step.format(k - 1)) for k in range(1, 60)) + " y[i] = t59[i] + x[i];\n}\n", 0)
    put("shared_subscript.td", "export fn f(x: f32[N]) -> (y: f32[N]) {\n let t0[i in 0..N] = i * i + 3;\n" + "".join(" let t%d[i] = (t%d[i] %% 1021) * (t%d[i] / 7) + i;\n" % (k, k - 1, k - 1) for k in range(1, 40)) + " y[i] = x[t39[i] % N];\n}\n", 0)
    put("shared_condition.td", "export fn f(x: f32[N]) -> (y: f32[N]) {\n let t0[i] = x[i] > 0.0;\n" + "".join(" let t%d[i] = (t%d[i] && x[i] > %d.0) || (t%d[i] && x[i] < %d.0);\n" % (k, k - 1, k, k - 1, k) for k in range(1, 40)) + " y[i] = if t39[i] then 1.0 else 2.0;\n}\n", 0)
    put("shared_reductions.td", "export fn f(x: f32[N]) -> (y: f32[N]) {\n let t0[i] = x[i];\n" + "".join(" let t%d[i] = sum[k](t%d[k] * t%d[i]) + t%d[i];\n" % (k, k - 1, k - 1, k - 1) for k in range(1, 40)) + " y[i] = t39[i];\n}\n", 0)


def files():
    put("itself.td", 'import "./itself.td";\n' + HEAD + "x[i]" + TAIL, 0)
    put("cycle_b.td", 'import "./cycle_a.td";\nfn q(x) = p(x);', 1, "E0802")
    put("cycle_a.td", 'import "./cycle_b.td";\nfn p(x) = q(x);\n' + HEAD + "q(x[i])" + TAIL, "01")
    put("imports.td", "".join('import "./none%d.td";\n' % k for k in range(10**4)) + HEAD + "x[i]" + TAIL, 1, "E0306")
    os.makedirs("folder.td", exist_ok=True)
    print("folder.td", 1, "E0003")
    put("import_folder.td", 'import "./folder.td";\n' + HEAD + "x[i]" + TAIL, 1, "E0306")
    print("missing.td", 1, "E0003")


def mutations(sources, n):
    """Programs of the other tests with bytes or pieces changed: whatever comes of it."""
    texts = [open(s, "rb").read() for s in sources]
    r = random.Random(7)
    for k in range(n):
        t = bytearray(r.choice(texts))
        for _ in range(r.randrange(1, 6)):
            a, b = sorted((r.randrange(len(t) + 1), r.randrange(len(t) + 1)))
            b = min(b, a + r.choice([1, 4, 30, 400]))
            kind = r.randrange(4)
            if kind == 0:
                del t[a:b]
            elif kind == 1:
                t[a:a] = t[a:b] * r.choice([1, 2, 50])
            elif kind == 2:
                o = r.choice(texts)
                c = r.randrange(len(o))
                t[a:b] = o[c : c + 60]
            else:
                t[a : a + 1] = bytes([r.randrange(256)])
        put("mutation_%d.td" % k, bytes(t), "01")


nesting()
length()
bytes_of_all_kinds()
dimensions()
functions()
shared()
files()
mutations(sys.argv[2:], 60)
