"""What an entry of the manifest says of itself, for help() and inspect.signature()."""
import inspect
import keyword


def signature(names, defaults, extra=()):
    """Parameters by name, in order. One without a default that stands behind one with a default is given by name, and
    so are all behind it; `extra` are names that are given by name and may be left out."""
    parameters, kind, seen = [], inspect.Parameter.POSITIONAL_OR_KEYWORD, False
    for n in names:
        default = defaults.get(n, inspect.Parameter.empty)
        if default is inspect.Parameter.empty and seen:
            kind = inspect.Parameter.KEYWORD_ONLY
        seen = seen or default is not inspect.Parameter.empty
        parameters.append(inspect.Parameter(n + "_" if keyword.iskeyword(n) else n, kind, default=default))
    parameters += [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in extra if n not in names]
    return inspect.Signature(parameters)


def default(scalar):
    """The default of a scalar as a Python value of its type; None where it has none."""
    value = scalar["default"]
    if value is None:
        return None
    return bool(value) if scalar["type"] == "bool" else float(value) if scalar["c_type"] in ("float",
                                                                                             "double") else value


def _tensor(t):
    return f"{t['name']}: {t['type']}[{', '.join(s['text'] for s in t['shape'])}]"


def _dimension(d):
    facts = []
    if d["most"] is not None:
        facts.append(f"{d['least']} to {d['most']}")
    elif d["least"] > 0:
        facts.append(f"at least {d['least']}")
    if d["divisor"] != 1:
        facts.append(f"a multiple of {d['divisor']}")
    if d["from"] != "inputs":
        facts.insert(0, "int")
        if d["default"] is not None:
            facts.append(f"{d['default']} where it is not given")
    return f"{d['name']}: {', '.join(facts)}" if facts else None


def text(data, call):
    """The documentation of an entry: how it is called, its own words, and what its arguments are, a line for each."""
    tensors, of = data["tensors"], lambda *directions: [t for t in data["tensors"] if t["direction"] in directions]
    host = data["kind"] == "host"
    results = tensors[0]["type"] if host else ", ".join(t["name"] for t in of("out"))
    lines = [call + (f" -> {results}" if results else "")]
    if data["doc"]:
        lines += ["", data["doc"]]
    defaults = {s["name"]: default(s) for s in data["scalars"]}
    parts = [("Inputs", [_tensor(t) for t in of("in")]), ("Changed in place", [_tensor(t) for t in of("inout")]),
             ("Outputs", [] if host else [_tensor(t) for t in of("out")]),
             ("Dimensions", [d for d in map(_dimension, data["dimensions"]) if d]),
             ("Scalars", [
                 f"{s['name']}: {s['type']}" + ("" if defaults[s["name"]] is None else f" = {defaults[s['name']]}")
                 for s in data["scalars"]
             ]), ("Required", [r["condition"] + (f' ("{r["text"]}")' if r["text"] else "") for r in data["requires"]])]
    for title, rows in parts:
        if rows:
            lines += ["", title + ":"] + ["    " + r for r in rows]
    return "\n".join(lines)
