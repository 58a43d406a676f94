"""DLPack's structures, and tensors lent through its capsules."""
import ctypes

CPU, CUDA = 1, 2
INT, UINT, FLOAT, BFLOAT, BOOL, F8E4M3FN, F8E5M2 = 0, 1, 2, 4, 6, 10, 12
READ_ONLY = 1

# The code and bits of td's types.
TYPES = dict(f64=(FLOAT, 64), f32=(FLOAT, 32), f16=(FLOAT, 16), bf16=(BFLOAT, 16), f8e4m3=(F8E4M3FN, 8),
             f8e5m2=(F8E5M2, 8), i64=(INT, 64), i32=(INT, 32), i16=(INT, 16), i8=(INT, 8), i4=(INT, 4), u32=(UINT, 32),
             u16=(UINT, 16), u8=(UINT, 8), u4=(UINT, 4), bool=(BOOL, 8))


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    _fields_ = [("dl_tensor", DLTensor), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("dl_tensor", DLTensor)]


_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class View:
    """A DLTensor of our own, which may be changed, over memory that `keep` keeps alive."""
    __slots__ = ("t", "keep", "read_only")

    def __init__(self, t, keep, read_only=False):
        self.t, self.keep, self.read_only = t, keep, read_only

    def shape(self):
        return tuple(self.t.shape[:self.t.ndim]) if self.t.ndim else ()

    def nbytes(self):
        n = 1
        for extent in self.shape():
            n *= extent
        return (n * self.t.bits * self.t.lanes + 7) // 8


def of_memory(address, shape, strides, code, bits, keep, read_only=False, device=(CPU, 0)):
    """A view of plain memory; strides in elements, None where it is dense."""
    n = len(shape)
    sizes = (ctypes.c_int64 * n)(*shape)
    steps = (ctypes.c_int64 * n)(*strides) if strides is not None else None
    t = DLTensor(address, device[0], device[1], n, code, bits, 1,
                 ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64)),
                 ctypes.cast(steps, ctypes.POINTER(ctypes.c_int64)) if steps is not None else None, 0)
    return View(t, (sizes, steps, keep), read_only)


def borrow(x, stream):
    """A view through x.__dlpack__. The capsule is never marked as used: it stays the owner of what it holds and its own
    destructor gives that back when the view is gone."""
    try:
        capsule = x.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # before DLPack 1.0
        capsule = x.__dlpack__(stream=stream)
    return of_capsule(capsule, x)


def of_capsule(capsule, x):
    if _is_valid(capsule, b"dltensor_versioned"):
        m = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        if m.major != 1:
            raise TypeError(f"DLPack {m.major}.{m.minor}: expected 1.x")
        source, read_only = m.dl_tensor, bool(m.flags & READ_ONLY)
    elif _is_valid(capsule, b"dltensor"):
        source, read_only = _Managed.from_address(_pointer(capsule, b"dltensor")).dl_tensor, False
    else:
        raise TypeError(f"{type(x).__name__}.__dlpack__ gives no DLPack capsule that is unused")
    t = DLTensor()
    ctypes.pointer(t)[0] = source
    return View(t, (capsule, x), read_only)
