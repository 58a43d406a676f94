"""References of stdlib/linalg.td."""
import numpy as np
from harness import case, ints, normal, uniform

B = "{}(T = f64, B = [P])".format
rows = [dict(P=5, N=7), dict(P=1, N=1), dict(P=0, N=3), dict(P=3, N=0), dict(P=2, N=133)]
nonempty = [s for s in rows if s["N"]]
case("dot", "dot(T = f64)", lambda x, y: np.dot(x, y))
case("dot", "dot(T = i16)", lambda x, y: np.dot(x.astype(np.int32), y.astype(np.int32)), None, dict(x=ints(-3000, 3000), y=ints(-3000, 3000)))
case("vecdot", B("vecdot"), lambda x, y: np.einsum("bk,bk->b", x, y))
case("outer", "outer(T = f64)", lambda x, y: np.outer(x, y))
case("matmul", B("matmul"), lambda x, y: x @ y, torch="x @ y")
case("matmul", "matmul(T = f64, B = [])", lambda x, y: x @ y)
case("matmul", "matmul(T = f64, B = [P, Q])", lambda x, y: x @ y)
case("matmul_nt", B("matmul_nt"), lambda x, y: x @ y.swapaxes(-1, -2))
case("matmul_tn", B("matmul_tn"), lambda x, y: x.swapaxes(-1, -2) @ y)
case("matmul_tt", B("matmul_tt"), lambda x, y: x.swapaxes(-1, -2) @ y.swapaxes(-1, -2))
case("mv", B("mv"), lambda x, y: x @ y)
case("linear", B("linear"), lambda x, w, bias: x @ w.T + bias, torch="F.linear(x, w, bias)")
case("linear", "export fn it(x: f64[M, K], w: f64[N, K]) -> (y: f64[M, N]) { y = linear(x, w, act = relu); }",
     lambda x, w: np.maximum(x @ w.T, 0))
case("linear_grad", B("linear_grad"), lambda dy, x, w: (dy @ w, dy.T @ x, dy.sum(0)))
case("addmm", B("addmm"), lambda c, x, y, alpha, beta: beta * c + alpha * (x @ y), scalars=dict(alpha=.5, beta=-2.),
     torch="torch.baddbmm(c, x, y, beta=beta, alpha=alpha)")
case("bilinear", B("bilinear"), lambda x, y, a, bias: np.einsum("bi,nij,bj->bn", x, a, y) + bias, torch="F.bilinear(x, y, a, bias)")
case("gram", B("gram"), lambda x: x.swapaxes(-1, -2) @ x)
case("kron", "kron(T = f64)", lambda x, y: np.kron(x, y), [dict(M=3, N=2, P=4, Q=5), dict(M=1, N=1, P=1, Q=1), dict(M=0, N=2, P=1, Q=3)])
case("cross", B("cross"), lambda x, y: np.cross(x, y).reshape(x.shape))
case("linear_i8", "linear_i8()", lambda x, w, sx, sw: (x.astype(int) @ w.astype(int).T) * np.outer(sx, sw), None,
     dict(x=ints(-128, 128), w=ints(-128, 128)))

case("trace", B("trace"), lambda x: np.trace(x, axis1=1, axis2=2))
case("frobenius_dot", B("frobenius_dot"), lambda x, y: (x * y).sum((1, 2)))
case("norm", B("norm"), lambda x: np.linalg.norm(x, axis=-1))
case("norm1", B("norm1"), lambda x: np.linalg.norm(x, 1, axis=-1))
case("norm_inf", B("norm_inf"), lambda x: abs(x).max(-1, initial=0))
case("norm_p", B("norm_p"), lambda x, p: (abs(x) ** p).sum(-1) ** (1 / p), scalars=dict(p=3.5))
case("norm_all", "norm_all(T = f64, B = [M, N])", np.linalg.norm)
case("matrix_norm1", B("matrix_norm1"), lambda x: abs(x).sum(1).max(-1, initial=-np.inf))
case("matrix_norm_inf", B("matrix_norm_inf"), lambda x: abs(x).sum(2).max(-1, initial=-np.inf))
case("rms", B("rms"), lambda x: np.sqrt((x * x).mean(-1)), nonempty)
shifted = dict(x=normal(1, 50))
case("var", B("var"), lambda x: x.var(-1), nonempty, shifted)
case("var", B("var"), lambda x: x.var(-1, ddof=1), [s for s in rows if s["N"] > 1], shifted, dict(correction=1), torch="x.var(-1)")
case("std", B("std"), lambda x: x.std(-1), nonempty, shifted)
case("std", B("std"), lambda x: x.std(-1, ddof=1), [s for s in rows if s["N"] > 1], shifted, dict(correction=1), torch="x.std(-1)")
case("cov", "cov(T = f64)", lambda x: np.cov(x).reshape(len(x), len(x)), [dict(M=4, N=9), dict(M=1, N=2)])

case("cosine_similarity", B("cosine_similarity"), lambda x, y:
     (x * y).sum(-1) / np.maximum(np.linalg.norm(x, axis=-1), 1e-8) / np.maximum(np.linalg.norm(y, axis=-1), 1e-8), rows,
     torch="F.cosine_similarity(x, y)")
case("pairwise_distance", B("pairwise_distance"), lambda x, y, eps: np.linalg.norm(x - y + eps, axis=-1), rows,
     torch="F.pairwise_distance(x, y)")
case("cdist", B("cdist"), lambda x, y: np.sqrt(((x[:, :, None] - y[:, None]) ** 2).sum(-1)))

case("det2", B("det2"), lambda x: np.linalg.det(x))
case("det3", B("det3"), lambda x: np.linalg.det(x))
well = lambda rng, shape, dims: rng.uniform(-1, 1, shape) + 3 * np.eye(shape[-1])
case("inv2", B("inv2"), lambda x: np.linalg.inv(x), None, dict(x=well))
case("inv3", B("inv3"), lambda x: np.linalg.inv(x), None, dict(x=well))

case("cumsum", B("cumsum"), lambda x: np.cumsum(x, -1), rows)
case("cumsum_exclusive", B("cumsum_exclusive"), lambda x: np.cumsum(x, -1) - x, rows)
case("cumprod", B("cumprod"), lambda x: np.cumprod(x, -1), rows, dict(x=uniform(-1.2, 1.2)))
case("cummax", B("cummax"), lambda x: np.maximum.accumulate(x, -1), rows)
case("cummin", B("cummin"), lambda x: np.minimum.accumulate(x, -1), rows)
case("diff", B("diff"), lambda x: np.diff(x), rows)
case("polyval", "polyval(T = f64, B = [M])", lambda c, x: np.polyval(c, x), [dict(K=4, M=5), dict(K=1, M=1), dict(K=0, M=2), dict(K=3, M=0)])
