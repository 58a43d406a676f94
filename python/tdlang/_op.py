"""A td program as an operator of PyTorch: its schema, its fake kernel and its gradient come from the manifest."""
import hashlib
import keyword
import os
import threading

import torch

from . import _arrays, _describe
from ._build import build, is_text, usual_target
from ._model import evaluate, names_in

_FLOATS = {t for t in _arrays.NAMES if t[0] in "fb" and t != "bool"}
_OPERATORS = {}  # by qualified name


def dtype(type):
    """PyTorch's dtype for td's type. i4 and u4 are bytes with two elements each."""
    return torch.uint8 if type in ("i4", "u4") else getattr(torch, _arrays.NAMES[type])


class _Program:
    """What one source is compiled to: a model for each kind of device that its operators have been called on."""

    def __init__(self, source, target, options):
        self.source, self.models, self.lock = source, {}, threading.Lock()
        self.options = dict(options)  # for a build that may come later, from another folder
        if options.get("includes"):
            self.options["includes"] = [os.path.abspath(i) for i in options["includes"]]
        if options.get("tuning"):
            self.options["tuning"] = os.path.abspath(options["tuning"])
        self.first = self.model(target or usual_target())

    def model(self, target):
        with self.lock:
            if target not in self.models:
                self.models[target] = build(self.source, target=target, **self.options)
            return self.models[target]

    def entry(self, name, device):
        model = self.models.get("cuda" if device.type == "cuda" else "stand-in")
        if model is None:
            model = self.model("cuda" if device.type == "cuda" else "stand-in")
            if model[name].data != self.first[name].data:
                raise RuntimeError(f"{name}: {self.source} has changed since the operator was made")
        return model[name]

    def tag(self, entry):
        """Eight digits that differ between programs, and are the same on each machine."""
        if is_text(self.source):
            text = self.source.encode()
        else:
            with open(self.source, "rb") as f:
                text = f.read()
        said = [entry, sorted((self.options.get("defines") or {}).items()), list(self.options.get("options") or ())]
        return hashlib.sha256(text + repr(said).encode()).hexdigest()[:8]


def _solve(data, sizes, dims):
    """Completes `dims` (values by name) from the sizes of the input tensors (by name), which may be symbols: an extent
    that is linear in its one unknown dimension gives that dimension. Then each extent is compared with its form."""
    extents = [(t["name"], k, s) for t in data["tensors"] if t["name"] in sizes for k, s in enumerate(t["shape"])]
    waiting = sorted(extents, key=lambda e: isinstance(e[2]["form"], list))  # N itself says more than 8 * N
    while waiting:
        later = []
        for name, k, s in waiting:
            unknown = {n for n in names_in(s["form"]) if n not in dims}
            if len(unknown) > 1:
                later.append((name, k, s))
            elif unknown:
                (n,) = unknown
                at0, at1 = (evaluate(s["form"], {**dims, n: v}) for v in (0, 1))
                if at1 - at0 == 0:  # a factor is 0: this extent says nothing
                    later.append((name, k, s))
                else:
                    dims[n] = sizes[name][k] if s["form"] == n else (sizes[name][k] - at0) // (at1 - at0)
        if len(later) == len(waiting):
            unknown = next(n for n in names_in(later[0][2]["form"]) if n not in dims)
            raise ValueError(f"{data['name']}: dimension {unknown}: no shape given determines it")
        waiting = later
    for name, k, s in extents:
        got = sizes[name][k]
        torch._check(
            evaluate(s["form"], dims) == got, lambda: f"{data['name']}: tensor {name}: extent {k} is {s['text']}: "
            f"expected {evaluate(s['form'], dims)}, got {got}")
    return dims


class Operator:
    """An entry of a td program as an operator of PyTorch. Call it with its tensors; help(operator) says which.

    torch_op     the overload in torch.ops, for torch.library.opcheck and the like
    name         its qualified name, "namespace::name"
    signature    the entry's header in td
    """

    def __init__(self, program, entry, name):
        self.program, self.name, self.entry = program, name, entry
        data = entry.data
        if any(t["type"] in ("i4", "u4") and not t["shape"] for t in data["tensors"]):
            raise TypeError(f"{entry.name}: PyTorch has no i4 and u4: a tensor of rank 0 cannot be packed into bytes")
        self.signature = entry.signature
        self._makes = not entry.inputs  # there is no tensor that says on which device outputs are made
        names = {n: n + "_" if keyword.iskeyword(n) else n for n in entry._names}
        defaults = {names[n]: v for n, v in entry._defaults.items() if n in names}
        self.__signature__ = _describe.signature(list(names.values()), defaults, ["device"] if self._makes else [])
        self._by_schema = {s: n for n, s in names.items()}
        self._positional = [n for n, s in names.items() if self.__signature__.parameters[s].kind.name != "KEYWORD_ONLY"]
        self.__name__, self.__doc__ = entry.name, _describe.text(data, entry.name + str(self.__signature__))
        self.schema, mutated = self._schema(names)
        self._definition = torch.library.custom_op(name, self._run, mutates_args=mutated, schema=self.schema)
        self._definition.register_fake(self._fake)
        space, short = name.split("::")
        self.torch_op = getattr(getattr(torch.ops, space), short).default

    def __repr__(self):
        return f"<operator {self.name}: {self.signature}>"

    def __reduce__(self):  # copies of modules and saved ones hold the same operator
        return _again, self._made_by

    def __call__(self, *args, **kwargs):
        return self.torch_op(*args, **kwargs)

    def _schema(self, names):
        """The schema's text, and which arguments it changes."""
        entry, parts, mutated, star = self.entry, [], [], False
        scalars = {s["name"]: s["type"] for s in entry.scalars}
        for n, parameter in zip(entry._names, self.__signature__.parameters.values()):
            if parameter.kind.name == "KEYWORD_ONLY" and not star:
                parts, star = parts + ["*"], True
            if n in entry.inputs:
                inout = [t["name"] for t in entry.tensors if t["direction"] == "inout"]
                mutated += [names[n]] if n in inout else []
                parts.append(f"Tensor(a{len(mutated)}!) {names[n]}" if n in inout else f"Tensor {names[n]}")
                continue
            type = scalars.get(n, "i64")
            kind = "bool" if type == "bool" else "float" if type in _FLOATS else "SymInt"
            value = entry._defaults.get(n)
            parts.append(f"{kind} {names[n]}" if value is None else f"{kind}? {names[n]}=None")
        if self._makes:
            parts += ([] if star else ["*"]) + ["Device? device=None"]
        results = ["Tensor"] * len(entry.outputs)
        return f"({', '.join(parts)}) -> {results[0] if len(results) == 1 else '(' + ', '.join(results) + ')'}", mutated

    def _values(self, args, named):
        """Arguments by td's names, without those that are left to the program's defaults; and the device."""
        device = named.pop("device", None)
        values = dict(zip(self._positional, args))
        values.update((self._by_schema[n], v) for n, v in named.items())
        if self._makes and device is None:
            cuda = usual_target() == "cuda"
            device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
        return {n: v for n, v in values.items() if v is not None}, device

    # ---- what PyTorch calls ----
    def _run(self, *args, **named):
        values, device = self._values(args, named)
        entry = self.program.entry(self.entry.name, device or values[self.entry.inputs[0]].device)
        copied, out, given = [], None, dict(values)
        for t in entry.tensors:
            n, x = t["name"], values.get(t["name"])
            if x is None:
                continue
            if not x.is_contiguous():
                dense = x.contiguous()
                copied += [(x, dense)] if t["direction"] == "inout" else []
                x = dense
            if t["type"] in ("i4", "u4"):
                x = _arrays.Packed(x, t["type"], self._size(t, x))
            values[n] = x
        if self._makes or any(t["type"] in ("i4", "u4") for t in self._outputs()):
            out = tuple(self._packed(t, x) for t, x in zip(self._outputs(), self._empty(given, device)))
        results = entry(*[values.get(n, entry._defaults.get(n)) for n in entry._names], out=out)
        for x, dense in copied:
            x.copy_(dense)
        if results is None:
            return None
        results = results if isinstance(results, tuple) else (results,)
        results = [x.array.view(self._bytes(x.shape)) if isinstance(x, _arrays.Packed) else x for x in results]
        return results[0] if len(results) == 1 else tuple(results)

    def _fake(self, *args, **named):
        values, device = self._values(args, named)
        for t in self.entry.tensors:
            x = values.get(t["name"])
            if x is not None:
                self._check_type(t, x)
        made = self._empty(values, device)
        return None if not made else made[0] if len(made) == 1 else tuple(made)

    def _check_type(self, t, x):
        allowed = (torch.bool, torch.uint8) if t["type"] == "bool" else (dtype(t["type"]),)
        before = f"{self.entry.name}: tensor {t['name']}: expected "
        if x.dtype not in allowed:
            raise TypeError(f"{before}{allowed[0]} ({t['type']}), got {x.dtype}")
        if x.dim() != len(t["shape"]):
            raise TypeError(f"{before}rank {len(t['shape'])}, got {x.dim()}")

    # ---- shapes ----
    def _outputs(self):
        return [t for t in self.entry.tensors if t["direction"] == "out"]

    @staticmethod
    def _size(t, x):
        """The extents of a tensor in td: bytes of i4 and u4 hold two elements of the last axis."""
        return (*x.shape[:-1], 2 * x.shape[-1]) if t["type"] in ("i4", "u4") else tuple(x.shape)

    @staticmethod
    def _bytes(shape):
        return (*shape[:-1], shape[-1] // 2)

    @staticmethod
    def _packed(t, x):
        return _arrays.Packed(x.view(-1), t["type"], Operator._size(t, x)) if t["type"] in ("i4", "u4") else x

    def _empty(self, values, device):
        """The outputs, without values."""
        entry, made = self.entry, []
        sizes = {t["name"]: self._size(t, values[t["name"]]) for t in entry.tensors if t["name"] in values}
        given = {n: values.get(n, entry._defaults.get(n)) for n in entry._arguments}
        dims = _solve(entry.data, sizes, given)
        for t in self._outputs():
            shape = [evaluate(s["form"], dims) for s in t["shape"]]
            if t["type"] in ("i4", "u4"):
                torch._check(
                    shape[-1] % 2 == 0, lambda: f"{entry.name}: output {t['name']}: {t['type']} are pairs in bytes: "
                    "its last extent must be even")
                shape = self._bytes(shape)
            made.append(torch.empty(shape, dtype=dtype(t["type"]), device=device or values[entry.inputs[0]].device))
        return made

    # ---- gradients ----
    def register_gradient(self, gradient, setup_context=None):
        """Says how gradients are computed: by an entry of the same program, named, or by a function as
        torch.library.register_autograd takes it, with its setup_context.

        The names of the entry's parameters say what they are given: those of the operator's inputs, outputs, dimensions
        and scalars are these, and `dy` is the gradient of the output `y`. Its output `dx` is the gradient of the input
        `x`."""
        if isinstance(gradient, str):
            gradient, setup_context = _wire(
                self, Operator(self.program, _entry(self.program, gradient), self.name + "_gradient"))
        self._definition.register_autograd(gradient, setup_context=setup_context)


def _wire(forward, backward):
    """The backward and setup_context functions that give the entry `backward` its parameters by their names."""
    f, b = forward.entry, backward.entry
    changed = [t["name"] for t in f.tensors if t["direction"] == "inout"]
    if changed:
        raise TypeError(f"{f.name} changes '{changed[0]}' in place: PyTorch takes no gradients of such operators")
    tensors, parameters = {t["name"]: t for t in f.tensors}, f._arguments + f._scalar_names
    gradients = {"d" + n: n for n in f.outputs if tensors[n]["type"] in _FLOATS}
    wrong = [n for n in b._names if n not in tensors and n not in gradients and n not in parameters]
    if wrong:
        raise TypeError(
            f"{b.name}: nothing is given for '{wrong[0]}': a gradient's parameters are those of {f.name} "
            f"({', '.join([*tensors, *parameters])}), and {', '.join(gradients) or 'no gradient of an output'}")
    wrong = [n for n in b.outputs if n[1:] not in f.inputs or n[0] != "d" or tensors[n[1:]]["type"] not in _FLOATS]
    if wrong or any(t["direction"] == "inout" for t in b.tensors):
        raise TypeError(
            f"{b.name}: a gradient has outputs and no inouts; they are called d and the name of an input of floats "
            f"of {f.name}" + (f": '{wrong[0]}' is none" if wrong else ""))
    saved = [n for n in b.inputs if n in tensors]
    for t in b.tensors:
        if t["name"] in saved and t["type"] != tensors[t["name"]]["type"]:
            raise TypeError(
                f"{b.name}: tensor {t['name']} is {t['type']}, and in {f.name} {tensors[t['name']]['type']}")

    def setup_context(ctx, inputs, output, keyword_only_inputs=None):
        values = dict(zip(forward._positional, inputs))
        values.update(
            (forward._by_schema[n], v) for n, v in (keyword_only_inputs or {}).items() if n in forward._by_schema)
        values.update(zip(f.outputs, output if isinstance(output, (tuple, list)) else (output,)))
        ctx.save_for_backward(*[values[n] for n in saved])
        ctx.parameters = {
            n: f._defaults.get(n) if values.get(n) is None else values[n]
            for n in parameters if n in b._names
        }

    def gradient(ctx, *grads):
        for n, needed in zip(f.inputs, ctx.needs_input_grad):
            if needed and "d" + n not in b.outputs:
                raise RuntimeError(f"{f.name}: there is no gradient of '{n}': {b.name} has no output d{n}")
        values = dict(zip(saved, ctx.saved_tensors), **ctx.parameters)
        types = {t["name"]: dtype(t["type"]) for t in b.tensors}
        values.update((d, grads[f.outputs.index(n)].to(types[d])) for d, n in gradients.items() if d in b.inputs)
        schema = {n: s for s, n in backward._by_schema.items()}
        results = backward.torch_op(**{schema[n]: v for n, v in values.items()})
        results = dict(zip(b.outputs, results if isinstance(results, (tuple, list)) else (results,)))
        return tuple(results.get("d" + n) for n in forward._positional)

    return gradient, setup_context


def _entry(program, name, but=None):
    """The entry of that name; without a name, the only one that runs on the device."""
    entries = {n: e for n, e in program.first.entries.items() if e.kind == "device"}
    if name is None and len([n for n in entries if n != but]) == 1:
        name = [n for n in entries if n != but][0]
    if name not in entries:
        what = "has several entries" if name is None else f"has no entry '{name}' that runs on the device"
        raise ValueError(f"the program {what}: entry= is one of {', '.join(entries)}")
    return entries[name]


def _again(source, entry, name, gradient, target, options):
    return op(source, entry, name=name, gradient=gradient, target=target, **options)


def op(source, entry=None, *, name=None, gradient=None, target=None, **options):
    """An operator of PyTorch from td: torch.compile, torch.export and autograd know it.

        double = tdlang.op("export fn double(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }")
        y = torch.compile(lambda x: double(x) + 1)(x)

    source     a td file, or td itself in a string
    entry      which export, where there are several
    name       the operator's name in torch.ops, "namespace::name"; programs that are saved (torch.export) should give
               one, since that is how they find it again. Another program under the same name replaces the first
    gradient   the export that computes its gradient: see Operator.register_gradient
    target     for which device it is compiled now, "cuda" or "stand-in" (the CPU); for the other it is compiled when it
               is first called there
    options    prefix, defines, includes, tuning, options, cache, tdc: as in tdlang.build

    Tensors of any strides are taken: those that are not dense are copied. An inout is changed in place. Tensors of i4
    and u4 are uint8 with two elements a byte, the low half first, so that their last axis has half as many bytes.
    Without input tensors there is an argument `device`. Arguments behind one with a default that have none are given by
    name."""
    source = source if is_text(source) else os.path.abspath(os.fspath(source))
    program = _Program(source, target, options)
    found = _entry(program, entry, gradient)
    name = name or f"tdlang::{found.name}_{program.tag(found.name)}"
    if name.count("::") != 1:
        raise ValueError(f"name: expected 'namespace::name', got {name!r}")
    made = _OPERATORS.get(name)
    key = (program.first.manifest["fingerprint"], found.name, gradient)
    if made is None or made[0] != key:
        operator = Operator(program, found, name)
        operator._made_by = (source, found.name, name, gradient, target, options)
        if gradient:
            operator.register_gradient(gradient)
        made = _OPERATORS[name] = (key, operator)
    return made[1]
