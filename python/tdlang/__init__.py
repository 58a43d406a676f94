"""Calls models that tdc compiled, with anything that speaks DLPack: PyTorch, JAX, CuPy, and NumPy on the CPU stand-in.

    import tdlang
    model = tdlang.build("model.td")       # or tdlang.load("model.so"), with model.json beside it
    y = model.softmax(x)

docs/python.md describes it."""
from ._arrays import Packed
from ._build import BuildError, build
from ._model import Entry, Error, Model, load

__version__ = "0.1"
__all__ = ["build", "load", "Model", "Entry", "Packed", "Error", "BuildError"]
