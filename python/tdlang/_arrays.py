"""What each framework has its own way for: lending a tensor, making one, its current stream."""
import ctypes
import sys

from . import _dlpack
from ._dlpack import CPU, CUDA

# dtypes by name, as NumPy with ml_dtypes, PyTorch and JAX call them.
NAMES = dict(f64="float64", f32="float32", f16="float16", bf16="bfloat16", f8e4m3="float8_e4m3fn", f8e5m2="float8_e5m2",
             i64="int64", i32="int32", i16="int16", i8="int8", u32="uint32", u16="uint16", u8="uint8", bool="bool")
BITS_OF = dict(bf16="uint16", f8e4m3="uint8", f8e5m2="uint8")  # where a framework has no such type
_BITS_NAMES = {NAMES[t]: t for t in BITS_OF}


class Packed:
    """An i4 or u4 tensor: two elements a byte, low half first, in `array`, a uint8 array of (elements + 1) // 2 bytes."""

    def __init__(self, array, type, shape):
        if type not in ("i4", "u4"):
            raise TypeError(f"type: expected i4 or u4, got {type}")
        self.array, self.type, self.shape = array, type, tuple(shape)

    def __repr__(self):
        return f"Packed({self.type}, {list(self.shape)})"


def product(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


def _ml_dtypes():
    try:
        import ml_dtypes
        return ml_dtypes
    except ImportError:
        return None


class Framework:
    """Anything with __dlpack__; it can lend its tensors and no more."""
    name = "this framework"
    module = None  # where its dtypes are, in messages

    def device(self, x):
        kind, number = x.__dlpack_device__()
        return int(kind), int(number)

    def lend(self, x, type, stream, current):
        """`stream`: the run's, `current`: the framework's own, both handles; they are None on the CPU."""
        where = None if stream is None else -1 if stream == current else stream or 1
        view = _dlpack.borrow(x, where)
        if type in BITS_OF and self.lacks(type) and view.t.code == _dlpack.UINT:
            view.t.code = _dlpack.TYPES[type][0]
        return view

    def lacks(self, type):
        return False

    def dtype_text(self, x):
        """The dtype of a tensor as its users write it; None where it has none."""
        dtype = getattr(x, "dtype", None)
        if dtype is None or self.module is None:
            return None
        name = str(dtype).split(".")[-1]
        ml = name in _BITS_NAMES and self.lacks(_BITS_NAMES[name])
        return f"{'ml_dtypes' if ml else self.module}.{name}"

    def type_text(self, type):
        """td's type as this framework's users write it."""
        if type in ("i4", "u4"):
            return f'tdlang.Packed(..., "{type}", shape)'
        if type in BITS_OF and self.lacks(type):
            bits = f"{self.module}.{BITS_OF[type]} with its bits ({type})"
            return f"ml_dtypes.{NAMES[type]} or {bits}" if self.module == "numpy" else bits
        return f"{self.module}.{NAMES[type]} ({type})" if self.module else type

    def current_stream(self, device):
        return None

    def capturing(self):
        return False

    def empty(self, shape, type, device, stream):
        raise TypeError(f"outputs cannot be made in {self.name}: give out=")

    def finish(self, stream):
        """After a run, where what follows does not wait for the stream by itself."""


class Numpy(Framework):
    name, module = "NumPy", "numpy"

    def device(self, x):
        return CPU, 0

    def lacks(self, type):
        return True

    def dtype(self, type):
        import numpy
        ml = _ml_dtypes() if type in BITS_OF else None
        return numpy.dtype(getattr(ml, NAMES[type]) if ml else BITS_OF.get(type, NAMES[type]))

    def lend(self, x, type, stream, current):
        """Not through numpy's capsules, which have no ml_dtypes and lend no read-only arrays."""
        d = x.dtype
        code = {"f": _dlpack.FLOAT, "i": _dlpack.INT, "u": _dlpack.UINT, "b": _dlpack.BOOL}.get(d.kind)
        for t, name in NAMES.items():
            if d.name == name and t in BITS_OF:
                code = _dlpack.TYPES[t][0]
        if code is None or not d.isnative:
            raise TypeError(f"NumPy's dtype {d} is no type of DLPack")
        if code == _dlpack.UINT and BITS_OF.get(type) == d.name:
            code = _dlpack.TYPES[type][0]
        strides = None
        if not x.flags.c_contiguous:
            if any(s % d.itemsize for s in x.strides):
                raise TypeError("strides are no multiples of the element")
            strides = [s // d.itemsize for s in x.strides]
        return _dlpack.of_memory(x.__array_interface__["data"][0], x.shape, strides, code, 8 * d.itemsize, x,
                                 not x.flags.writeable)

    def empty(self, shape, type, device, stream):
        import numpy
        return numpy.empty(shape, self.dtype(type))


class Torch(Framework):
    name, module = "PyTorch", "torch"

    def device(self, x):
        return (CUDA, x.get_device()) if x.is_cuda else (CPU, 0)

    def lend(self, x, type, stream, current):
        import torch
        if x.requires_grad:
            if torch.is_grad_enabled():
                raise TypeError("the tensor requires grad, which a call would lose: make an operator of the entry, "
                                "tdlang.op(source, entry), or call it under torch.no_grad()")
            x = x.detach()
        if x.is_neg() or x.is_conj():
            raise TypeError("the tensor is a view that negates: call resolve_neg() or resolve_conj() first")
        if stream != current:  # its memory may not go to others before the run is done
            x.record_stream(torch.cuda.ExternalStream(stream, device=x.device))
        name = str(x.dtype).split(".")[-1]
        for t in ("f8e4m3", "f8e5m2"):  # before PyTorch 2.9 these have no capsules
            if name == NAMES[t]:
                view = super().lend(x.view(torch.uint8), t, stream, current)
                view.t.code = _dlpack.TYPES[t][0]
                return view
        if stream == current:  # what __dlpack__ would do, without its checks of streams
            return _dlpack.of_capsule(torch.utils.dlpack.to_dlpack(x), x)
        return super().lend(x, type, stream, current)

    def current_stream(self, device):
        import torch
        return torch.cuda.current_stream(device[1]).cuda_stream if device[0] == CUDA else None

    def capturing(self):
        import torch
        return torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()

    def empty(self, shape, type, device, stream):
        import torch
        dtype = getattr(torch, NAMES[type])
        if device[0] != CUDA:
            return torch.empty(shape, dtype=dtype)
        if stream == self.current_stream(device):
            return torch.empty(shape, dtype=dtype, device=f"cuda:{device[1]}")
        with torch.cuda.stream(torch.cuda.ExternalStream(stream, device=device[1])):
            return torch.empty(shape, dtype=dtype, device=f"cuda:{device[1]}")


class Cupy(Framework):
    name, module = "CuPy", "cupy"

    def lacks(self, type):
        return True

    def current_stream(self, device):
        import cupy
        with cupy.cuda.Device(device[1]):
            return cupy.cuda.get_current_stream().ptr

    def empty(self, shape, type, device, stream):
        import cupy
        with cupy.cuda.Device(device[1]), cupy.cuda.ExternalStream(stream):
            return cupy.empty(shape, BITS_OF.get(type, NAMES[type]))


class Jax(Framework):
    """JAX's arrays do not change: an output is a new array that is filled before anybody sees it. JAX has no current
    stream and does not wait for ours, so a call ends when its work is done."""
    name, module = "JAX", "jax.numpy"

    def current_stream(self, device):
        return 0 if device[0] == CUDA else None

    def lend(self, x, type, stream, current):
        x.block_until_ready()
        view = super().lend(x, type, stream, None)
        view.read_only = True  # to callers; what `empty` made is lent after this is asked about
        return view

    def empty(self, shape, type, device, stream):
        import jax
        import jax.numpy as jnp
        where = [d for d in jax.devices("gpu" if device[0] == CUDA else "cpu") if d.id == device[1]]
        with jax.default_device(where[0]):
            x = jnp.empty(shape, NAMES[type])
        if str(x.dtype) != NAMES[type]:
            raise TypeError(f"JAX makes {x.dtype} of {NAMES[type]}: enable jax_enable_x64")
        return x.block_until_ready()

    def finish(self, stream):
        if stream is not None:
            cuda = ctypes.CDLL("libcuda.so.1")
            error = cuda.cuStreamSynchronize(ctypes.c_void_p(stream))
            if error:
                raise RuntimeError(f"cuStreamSynchronize: CUDA error {error}")


_GENERIC, _NUMPY, _TORCH, _CUPY, _JAX = Framework(), Numpy(), Torch(), Cupy(), Jax()
_KNOWN = {}  # frameworks by the types of tensors met so far
_BY_NAME = dict(numpy=_NUMPY, torch=_TORCH, cupy=_CUPY, jax=_JAX)


def framework(x):
    """The framework of a tensor, or of a module such as torch; None for what has no __dlpack__."""
    known = _KNOWN.get(type(x))
    if known is not None:
        return known
    if isinstance(x, Packed):
        return framework(x.array)
    for name, classes in (("torch", ("Tensor",)), ("numpy", ("ndarray",)), ("cupy", ("ndarray",)), ("jax", ("Array",))):
        module = sys.modules.get(name)
        if module is None:
            continue
        if x is module:
            return _BY_NAME[name]
        if any(isinstance(x, getattr(module, c, ())) for c in classes):
            _KNOWN[type(x)] = _BY_NAME[name]
            return _BY_NAME[name]
    return _GENERIC if hasattr(x, "__dlpack__") else None


def type_texts(x, type):
    """The types that a parameter takes and that x has, in the words of x's framework; None where it has no words."""
    if isinstance(x, Packed):
        return framework(x.array).type_text(type), f'tdlang.Packed(..., "{x.type}", shape)'
    f = framework(x)
    return (f.type_text(type), f.dtype_text(x)) if f and f.dtype_text(x) else None


def device(x):
    x = x.array if isinstance(x, Packed) else x
    return framework(x).device(x)


def lend(x, type, stream, current):
    """A view of a tensor for a parameter of td's type."""
    if isinstance(x, Packed):
        view = framework(x.array).lend(x.array, "u8", stream, current)
        if (view.t.code, view.t.bits) != (_dlpack.UINT, 8) or product(view.shape()) != (product(x.shape) + 1) // 2:
            raise TypeError(f"{x!r}: expected {(product(x.shape) + 1) // 2} bytes, uint8, got "
                            f"{list(view.shape())} of {view.t.bits} bits")
        code, bits = _dlpack.TYPES[x.type]
        if view.t.strides and not _dense(view):
            raise TypeError(f"{x!r}: expected a dense array")
        return _dlpack.of_memory((view.t.data or 0) + view.t.byte_offset, x.shape, None, code, bits, view, view.read_only,
                                 (view.t.device_type, view.t.device_id))
    return framework(x).lend(x, type, stream, current)


def _dense(view):
    step = 1
    for i in reversed(range(view.t.ndim)):
        if view.t.shape[i] != 1 and view.t.strides[i] != step:
            return False
        step *= view.t.shape[i]
    return True


def empty(f, shape, type, device, stream):
    if type in ("i4", "u4"):
        return Packed(f.empty(((product(shape) + 1) // 2,), "u8", device, stream), type, shape)
    return f.empty(shape, type, device, stream)
