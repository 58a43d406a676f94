"""A loaded model and its entries."""
import contextlib
import ctypes
import json
import os
import re
import threading

from . import _arrays, _describe
from ._dlpack import CPU, CUDA

FORMAT = 1  # of the manifest
CACHED = 4096  # shapes whose answers an entry keeps

C_TYPES = dict(f64=ctypes.c_double, f32=ctypes.c_float, f16=ctypes.c_float, bf16=ctypes.c_float, f8e4m3=ctypes.c_float,
               f8e5m2=ctypes.c_float, i64=ctypes.c_int64, i32=ctypes.c_int32, i16=ctypes.c_int16, i8=ctypes.c_int8,
               i4=ctypes.c_int8, u32=ctypes.c_uint32, u16=ctypes.c_uint16, u8=ctypes.c_uint8, u4=ctypes.c_uint8,
               bool=ctypes.c_uint8)


class Error(RuntimeError):
    """A refusal of the model. `status` is its name, as in the manifest; the text is the model's message."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class _Run(ctypes.Structure):
    _fields_ = [("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_size_t), ("stream", ctypes.c_void_p),
                ("message", ctypes.c_void_p), ("message_bytes", ctypes.c_size_t)]


_OPERATORS = {
    "+": lambda a, b: a + b, "*": lambda a, b: a * b, "-": lambda a, b=None: -a if b is None else a - b,
    "/": lambda a, b: a // b if b else 0, "%": lambda a, b: a % b if b else 0, "min": min, "max": max, "abs": abs,
    "sign": lambda a: (a > 0) - (a < 0), "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "&&": lambda a, b: a and b,
    "||": lambda a, b: a or b, "!": lambda a: not a, "&": lambda a, b: a & b, "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b}


def evaluate(form, dims):
    """An integer form of the manifest: a number, a name, [operator, operands...]."""
    if isinstance(form, str):
        return dims[form]
    if not isinstance(form, list):
        return form
    if form[0] == "cast":
        value = evaluate(form[2], dims)
        return value if form[1] == "i64" else int(value)
    if form[0] == "if":
        return evaluate(form[2 if evaluate(form[1], dims) else 3], dims)
    return _OPERATORS[form[0]](*[evaluate(f, dims) for f in form[1:]])


def names_in(form):
    """The dimensions and scalars in a form."""
    if isinstance(form, str):
        return {form}
    operands = form[2 if form[0] == "cast" else 1:] if isinstance(form, list) else ()
    return set().union(*map(names_in, operands))


def _stream_handle(stream):
    for name in ("cuda_stream", "ptr"):  # PyTorch's, CuPy's
        if hasattr(stream, name):
            return int(getattr(stream, name))
    return int(stream)


class _StandIn:
    """The CPU stand-in for CUDA: memory must be lent to it, and it runs one launch at a time."""
    lock = threading.Lock()

    def __init__(self, library):
        self.adopt, self.release, self.reset = library.td_emu_adopt, library.td_emu_release, library.td_emu_reset
        self.adopt.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.release.argtypes = [ctypes.c_void_p]

    @contextlib.contextmanager
    def lend(self, pieces):
        """pieces: (address, bytes, whether it holds values); those that overlap are lent as one."""
        merged = []
        for start, size, written in sorted(p for p in pieces if p[0] and p[1]):
            if merged and start < merged[-1][1]:
                last = merged.pop()
                merged.append((last[0], max(last[1], start + size), last[2] or written))
            else:
                merged.append((start, start + size, written))
        with self.lock:
            lent = []
            try:
                for start, end, written in merged:
                    if self.adopt(start, end - start, written):
                        raise RuntimeError("the stand-in takes no memory that it has already")
                    lent.append(start)
                yield
            finally:
                for start in lent:
                    self.release(start)


class Entry:
    """One entry of a model; call it with its tensors. help(entry) says which; `entry.signature` is its header in td."""

    def __init__(self, model, data):
        self.model, self.name, self.kind, self.data = model, data["name"], data["kind"], data
        self.signature, self.__name__ = data.get("signature", data["name"]), data["name"]
        self.tensors, self.dimensions, self.scalars = data["tensors"], data["dimensions"], data["scalars"]
        self.inputs = [t["name"] for t in self.tensors if t["direction"] != "out"]
        self.outputs = [t["name"] for t in self.tensors if t["direction"] == "out"]
        self._types = {t["name"]: t["type"] for t in self.tensors}
        self._dim_names = [d["name"] for d in self.dimensions]
        self._arguments = [d["name"] for d in self.dimensions if d["from"] != "inputs"]
        self._scalar_names = [s["name"] for s in self.scalars]
        self._defaults = {s["name"]: _describe.default(s) for s in self.scalars if s["default"] is not None}
        self._defaults.update({d["name"]: d["default"] for d in self.dimensions if d["default"] is not None})
        self._answers = {}
        host = self.kind == "host"
        self._names = (self._dim_names if host else self.inputs + self._arguments) + self._scalar_names
        self.__signature__ = _describe.signature(self._names, self._defaults, () if host else ("out", "stream", "like"))
        self.__doc__ = _describe.text(data, self.name + str(self.__signature__))
        if host:
            self._make_host()

    def __repr__(self):
        return f"<entry {self.signature}>"

    def _make_host(self):
        self._function = getattr(self.model._library, self.data["symbols"]["run"])
        self._function.restype = C_TYPES[self.tensors[0]["type"]]
        self._function.argtypes = ([ctypes.c_int64] * len(self.dimensions) +
                                   [C_TYPES[s["type"]] for s in self.scalars])

    # ---- arguments ----
    def _bind(self, names, args, named):
        """Values by name: positional ones are those of `names`, in order."""
        if len(args) > len(names):
            raise TypeError(f"{self.name}: expected at most {len(names)} positional arguments ({', '.join(names)}), got "
                            f"{len(args)}")
        values = dict(zip(names, args))
        known = set(names) | set(self._dim_names)
        for n, v in named.items():
            if n not in known:
                raise TypeError(f"{self.name} has no argument '{n}'; it has {', '.join(names)}")
            if n in values:
                raise TypeError(f"{self.name}: argument '{n}' is given twice")
            values[n] = v
        return values

    def _number(self, values, name, kind):
        v = values.get(name, self._defaults.get(name))
        if v is None:
            raise TypeError(f"{self.name}: {kind} '{name}' is missing")
        return v

    def _outputs_given(self, out):
        if out is None:
            return {}
        if isinstance(out, dict):
            unknown = set(out) - set(self.outputs)
        else:
            out = out if isinstance(out, (tuple, list)) else (out,)
            unknown = len(out) != len(self.outputs)
            out = dict(zip(self.outputs, out))
        if unknown:
            raise TypeError(f"{self.name}: out= expects {', '.join(self.outputs) or 'nothing'}")
        return out

    # ---- calling ----
    def __call__(self, *args, out=None, stream=None, like=None, **named):
        if self.kind == "host":
            values = self._bind(self._names, args, named)
            return self._function(*[self._number(values, n, "argument") for n in self._names])
        values = self._bind(self._names, args, named)
        call = _Call(self, values, self._outputs_given(out), stream, like)
        return call.run()


class _Call:
    """One call on its way: what is given becomes views, then what the shapes give, then the outputs, then the run."""

    def __init__(self, entry, values, out, stream, like):
        self.entry, self.model, self.values, self.out = entry, entry.model, values, out
        given = []
        for n in entry.inputs:
            x = values.get(n)
            if x is None:
                raise TypeError(f"{entry.name}: tensor '{n}' is missing")
            if _arrays.framework(x) is None:
                raise TypeError(f"{entry.name}: tensor '{n}': {type(x).__name__} does not speak DLPack")
            given.append(x)
        for n, x in out.items():
            if _arrays.framework(x) is None:
                raise TypeError(f"{entry.name}: output '{n}': {type(x).__name__} does not speak DLPack")
            given.append(x)
        self.framework = _arrays.framework(given[0]) if given else self._without_tensors(like)
        self.device = _arrays.device(given[0]) if given else self.model._device()
        self.current = self.framework.current_stream(self.device)
        self.stream = self.current
        if self.device[0] != CPU and stream is not None:
            self.stream = _stream_handle(stream)
        if self.device[0] != CPU and self.stream is None:
            raise TypeError(f"{entry.name}: {self.framework.name} has no current stream: give stream=")
        self.views = {n: self._lend(n, values[n]) for n in entry.inputs}

    def _without_tensors(self, like):
        if like is not None:
            return _arrays.framework(like)
        if self.model._stand_in:
            import numpy
            return _arrays.framework(numpy)
        raise TypeError(f"{self.entry.name} has no input tensors: give out=, or like=torch")

    def _lend(self, name, x):
        try:
            return _arrays.lend(x, self.entry._types[name], self.stream, self.current)
        except (TypeError, BufferError) as e:
            raise TypeError(f"{self.entry.name}: tensor '{name}': {e}") from e

    def run(self):
        e = self.entry
        for n, x in self.out.items():
            self.views[n] = self._lend(n, x)
        for t in e.tensors:
            if t["direction"] != "in" and t["name"] in self.views and self.views[t["name"]].read_only:
                raise TypeError(f"{e.name}: tensor '{t['name']}' is written to, and is read-only")
        dims, workspace_bytes, shapes = self._answer()
        for n in e.outputs:
            if n not in self.out:
                self.out[n] = _arrays.empty(self.framework, shapes[n], e._types[n], self.device, self.stream)
                self.views[n] = self._lend(n, self.out[n])
        scalars = [float(e._number(self.values, n, "scalar")) for n in e._scalar_names]
        self.model._invoke(e, self, dims, workspace_bytes, scalars)
        results = tuple(self.out[n] for n in e.outputs)
        return results[0] if len(results) == 1 else results or None

    def _answer(self):
        """Dimensions, bytes of workspace and shapes of the outputs; kept for shapes that come again."""
        e = self.entry
        given = tuple(int(self.values.get(n, self.entry._defaults.get(n, -1) if n in e._arguments else -1))
                      for n in e._dim_names)
        # an output that is given determines what nothing else does
        key = (self.device[1], given) + tuple(v.shape() for v in self.views.values()) + tuple(self.views)
        answer = e._answers.get(key)
        if answer is None:
            answer = self.model._query(e, self, given)
            if len(e._answers) >= CACHED:
                e._answers.clear()
            e._answers[key] = answer
        return answer

    def addresses(self):
        """An array of pointers to the DLTensors, NULL for those that are not there yet."""
        e = self.entry
        pointers = [ctypes.addressof(self.views[t["name"]].t) if t["name"] in self.views else None for t in e.tensors]
        return (ctypes.c_void_p * len(pointers))(*pointers)

    def in_words(self, text):
        """A refusal by the model; where it is about the type of a tensor or the kind of its device, which the model
        names by DLPack's numbers, in the words of the tensor's framework."""
        for n in self.views:
            x = self.out[n] if n in self.out else self.values[n]
            before = f"{self.entry.name}: tensor {n}: expected "
            rest = text[len(before):] if text.startswith(before) else ""
            if re.fullmatch(r"\w+, got .* of \d+ bits, \d+ lanes?", rest):
                types = _arrays.type_texts(x, self.entry._types[n])
                return f"{before}{types[0]}, got {types[1]}" if types else text
            if rest.startswith("DLPack's device type"):
                kinds = {CPU: "on the CPU", CUDA: "on a GPU"}
                wanted = CPU if self.model._stand_in else CUDA
                got = self.views[n].t.device_type
                why = ": the model was built for the CPU stand-in" if self.model._stand_in else ""
                return f"{before}a tensor {kinds[wanted]}, got one {kinds.get(got, f'of DLPack device type {got}')}{why}"
        return text

    def memory(self):
        """For the stand-in."""
        written = {t["name"]: t["direction"] != "out" for t in self.entry.tensors}
        return [((v.t.data or 0) + v.t.byte_offset, v.nbytes(), written[n]) for n, v in self.views.items()
                if v.t.device_type == CPU]


class Model:
    """A model's shared library, by its manifest. Its entries are attributes; model["name"] works too.

    Serves any number of threads, streams and (on a GPU) devices."""

    def __init__(self, library, manifest):
        with open(manifest, encoding="utf-8") as f:
            m = json.load(f)
        if m.get("format") != FORMAT:
            raise Error("format", f"{manifest}: expected format {FORMAT} of the manifest, got {m.get('format')}")
        self.manifest, self.path = m, os.fspath(library)
        self._library = ctypes.CDLL(os.path.abspath(self.path))
        try:
            fingerprint = ctypes.c_uint64.in_dll(self._library, m["symbols"]["fingerprint"]).value
        except ValueError as e:
            raise Error("fingerprint", f"{self.path} is no model with the prefix {m['prefix']}: {e}") from None
        if f"{fingerprint:016x}" != m["fingerprint"]:
            raise Error("fingerprint", f"{self.path} and {manifest} are not of one compilation: the library has "
                                       f"{fingerprint:016x}, the manifest {m['fingerprint']}")
        self._stand_in = _StandIn(self._library) if hasattr(self._library, "td_emu_adopt") else None
        self._functions()
        self._contexts, self._lock, self._local = {}, threading.Lock(), threading.local()
        self.entries = {e["name"]: Entry(self, e) for e in m["entries"]}

    def _functions(self):
        def function(name, result, *arguments):
            f = getattr(self._library, self.manifest["symbols"][name])
            f.restype, f.argtypes = result, arguments
            return f
        p, i, n = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
        self._open_c = function("open", i, ctypes.POINTER(p), i)
        self._open_message_c = function("open_message", n) if "open_message" in self.manifest["symbols"] else lambda: b""
        self._close_c = function("close", None, p)
        self._status_text_c = function("status_text", n, i)
        self._invoke_c = function("invoke", i, p, p, n, p, i, p, i, p, i)
        self._query_c = function("invoke_query", i, p, p, n, p, i, p, i, p)

    def __getattr__(self, name):
        entries = self.__dict__.get("entries", {})
        if name in entries:
            return entries[name]
        raise AttributeError(f"the model has no entry '{name}'; it has {', '.join(entries)}")

    def __getitem__(self, name):
        return self.entries[name]

    def __dir__(self):
        return list(super().__dir__()) + list(self.entries)

    def __repr__(self):
        return f"<model {self.manifest['prefix']}: {', '.join(self.entries)}>"

    def close(self):
        """Gives the contexts back; the model may be used again, and opens new ones then. No call may be under way."""
        with self._lock:
            contexts, self._contexts = self._contexts, {}
        for c in contexts.values():
            self._close_c(c)

    def __del__(self):
        if self.__dict__.get("_contexts"):
            self.close()

    # ---- what calls share ----
    def _device(self):
        return (CPU, 0) if self._stand_in else (CUDA, 0)

    def _raise(self, status, text):
        names = self.manifest["statuses"]
        name = names[status] if status < len(names) else str(status)
        if name == "error_cuda" and self._stand_in:
            self._stand_in.reset()
        raise Error(name, text or self._status_text_c(status).decode())

    def _context(self, device):
        c = self._contexts.get(device)
        if c is not None:
            return c
        with self._lock:
            if device not in self._contexts:
                c = ctypes.c_void_p()
                status = self._open_c(ctypes.byref(c), device)
                if status:
                    self._raise(status, self._open_message_c().decode(errors="replace"))
                self._contexts[device] = c.value
            return self._contexts[device]

    def _thread(self):
        """This thread's run, message and workspaces by device and stream: two threads on one stream interleave their
        launches, so that they must not share a workspace."""
        t = self._local
        if not hasattr(t, "run"):
            t.message = ctypes.create_string_buffer(1024)
            t.run = _Run(message=ctypes.addressof(t.message), message_bytes=1024)
            t.workspaces = {}
        t.message[0] = b"\0"
        return t

    def _query(self, entry, call, given):
        t = self._thread()
        dims = (ctypes.c_int64 * len(given))(*given)
        size = ctypes.c_size_t()
        with _on_device(call):
            status = self._query_c(self._context(call.device[1]), ctypes.addressof(t.run), entry.name.encode(),
                                   call.addresses(), len(entry.tensors), dims, len(given), ctypes.addressof(size))
        if status:
            self._raise(status, call.in_words(t.message.value.decode(errors="replace")))
        values = dict(zip(entry._dim_names, dims))
        shapes = {x["name"]: tuple(evaluate(s["form"], values) for s in x["shape"]) for x in entry.tensors
                  if x["direction"] == "out"}
        return dims, size.value, shapes

    def _workspace(self, t, call, size):
        """A view of at least `size` bytes at a multiple of 256, and what keeps it alive."""
        if not size:
            return 0, None
        key = (call.framework, call.device, call.stream)
        kept = t.workspaces.get(key)
        capturing = call.framework.capturing()
        if kept is None or kept[1] < size or capturing:
            memory = call.framework.empty((size + 256,), "u8", call.device, call.stream)
            view = _arrays.lend(memory, "u8", call.stream, call.current)
            address = (view.t.data + view.t.byte_offset + 255) // 256 * 256
            kept = (address, size, view)
            if not capturing:  # memory of a capture belongs to its graph
                t.workspaces[key] = kept
        return kept[0], kept[2]

    def _invoke(self, entry, call, dims, workspace_bytes, scalars):
        t = self._thread()
        with _on_device(call):
            context = self._context(call.device[1])
            address, _keep = self._workspace(t, call, workspace_bytes)
            t.run.workspace, t.run.workspace_bytes, t.run.stream = address, workspace_bytes, call.stream
            numbers = (ctypes.c_double * len(scalars))(*scalars)
            lent = contextlib.nullcontext()
            if self._stand_in:
                lent = self._stand_in.lend(call.memory() + [(address, workspace_bytes, False)])
            with lent:
                status = self._invoke_c(context, ctypes.addressof(t.run), entry.name.encode(), call.addresses(),
                                        len(entry.tensors), dims, len(dims), numbers, len(scalars))
        if status:
            self._raise(status, call.in_words(t.message.value.decode(errors="replace")))
        call.framework.finish(call.stream)


def _on_device(call):
    """Makes the tensors' device the current one, which the context asks for; on a machine with one there is no other."""
    if call.device[0] == CUDA and call.framework.name == "PyTorch":
        import torch
        if torch.cuda.current_device() != call.device[1]:
            return torch.cuda.device(call.device[1])
    return contextlib.nullcontext()


def load(library, manifest=None):
    """The model in a shared library; its manifest is the .json file of the same name unless it is named."""
    return Model(library, manifest or os.path.splitext(os.fspath(library))[0] + ".json")
