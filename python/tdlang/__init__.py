"""Calls models that tdc compiled, with anything that speaks DLPack: PyTorch, JAX, CuPy, and NumPy on the CPU stand-in.

    import tdlang
    model = tdlang.build("model.td")    # or tdlang.load("model.so"), with model.json beside it
    y = model.softmax(x)
    softmax = tdlang.op("model.td", "softmax")      # an operator of PyTorch, for torch.compile and autograd

docs/python.md and docs/pytorch.md describe it."""
from ._arrays import Packed
from ._build import BuildError, build
from ._model import Entry, Error, Model, load

__version__ = "0.1"
__all__ = ["build", "load", "op", "Model", "Entry", "Packed", "Error", "BuildError"]


def __getattr__(name):  # op needs PyTorch, which what else there is does not
    if name == "op":
        from ._op import op
        return op
    raise AttributeError(f"module 'tdlang' has no attribute {name!r}")
