"""What the editors' grammars make of the parts of a program, tried in Vim itself and in a TextMate engine (the package
textmate-grammar-python), each where there is one. Every word of the compiler's tables is tried in its place."""
import json, os, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "editors"))
import words

# A line; in it parts, with Vim's group and TextMate's scope for each: None where it is a name like others.
LINES = [
    ("/// What it does.", [("What", "tdDocComment", "comment.line.documentation")]),
    ("//// No documentation: TODO", [("documentation", "tdComment", "comment.line.double-slash"),
                                     ("TODO", "tdTodo", "comment.line")]),
    ('import "nn"; /* let */ // let', [("import", "tdKeyword", "keyword.other"),
                                       ("nn", "tdString", "string.quoted.double"),
                                       ("let", "tdComment", "comment.block")]),
    ("export fn rms(x: bf16[M, N], eps: f32 = 1e-6, n: int) -> (y: f32[M]) {",
     [("export", "tdKeyword", "keyword.other"), ("fn", "tdKeyword", "keyword.other"),
      ("rms", "tdName", "entity.name.function"), ("x", None, None), ("bf16", "tdType", "storage.type"),
      ("eps", None, None), ("1e-6", "tdFloat", "constant.numeric.float"), ("int", "tdType", "storage.type")]),
    ("    let m[i] = max[j](x[i, j]) + max(0x1F, 65_536) ** -1.5e3 + hint + error;",
     [("let", "tdKeyword", "keyword.other"), ("max", "tdReduction", "keyword.operator.reduction"),
      ("0x1F", "tdNumber", "constant.numeric.hex"), ("65_536", "tdNumber", "constant.numeric.integer"),
      ("1.5e3", "tdFloat", "constant.numeric.float"), ("hint", None, None), ("error", None, None)]),
    ("    y[i] = if tol then acc(T)(letter) else with;", [("if", "tdConditional", "keyword.control"),
                                                          ("tol", None, None), ("acc", "tdType", "storage.type"),
                                                          ("letter", None, None),
                                                          ("else", "tdConditional", "keyword.control"),
                                                          ("with", None, None)]),
    ("    let t[i] = sum[k in 0..8](x[i, k]); }", [("in", "tdKeyword", "keyword.other"),
                                                   ("0", "tdNumber", "constant.numeric.integer"),
                                                   ("8", "tdNumber", "constant.numeric.integer")]),
    ("export p = softmax(T = f32, B = [M]);", [("p", "tdName", "entity.name.function"),
                                               ("f32", "tdType", "storage.type")]),
    ("dim N in 1.. hint 4096 divisible 8;", [("hint", "tdClause", "keyword.other.clause"),
                                             ("4096", "tdNumber", "constant.numeric"),
                                             ("divisible", "tdClause", "keyword.other.clause")]),
    ('check rms(N = 8) with x in 0..3 error "a \\"b\\" c";', [("check", "tdKeyword", "keyword.other"),
                                                              ("with", "tdClause", "keyword.other.clause"),
                                                              ("error", "tdClause", "keyword.other.clause"),
                                                              ("b", "tdString", "string.quoted.double")]),
    ("option math = fast;", [("option", "tdKeyword", "keyword.other"),
                             ("math", "tdOption", "variable.parameter.option"),
                             ("fast", "tdOptionValue", "constant.other.option")]),
    ("    let fast[i] = math[i];", [("fast", None, None), ("math", None, None)]),
]
# For each kind of word a line with the word in its place.
PLACES = {
    "numbers": ("y[i] = %s;", "tdFloat", "constant.numeric.float"), "booleans": ("y[i] = %s;", "tdBoolean",
                                                                                 "constant.language.boolean"),
    "conditionals": ("    %s x", "tdConditional", "keyword.control"), "clauses": ("check f(N = 3) %s 3", "tdClause",
                                                                                  "keyword.other.clause"),
    "types": ("fn f(x: %s) = x;", "tdType", "storage.type"), "reductions": ("y[i] = %s[k](x[k]);", "tdReduction",
                                                                            "keyword.operator.reduction"),
    "option": ("option %s = some;", "tdOption", "variable.parameter.option"),
    "keywords": ("    %s ", "tdKeyword", "keyword.other"), "functions": ("y[i] = %s(x[i]);", "tdFunction",
                                                                         "support.function")
}


def cases():
    """Lines, and (line, column, part, group, scope) for each part to be tried."""
    lines, tried = [], []
    for text, parts in LINES:
        lines.append(text)
        at = 0
        for part, group, scope in parts:
            while True:
                at = text.index(part, at)
                if not (text[at - 1:at].isalnum() or text[at + len(part):at + len(part) + 1].isalnum()):
                    break
                at += 1
            tried.append((len(lines) - 1, at, part, group, scope))
            at += len(part)
    for kind, all_words in words.tables(ROOT).items():
        if kind in PLACES:
            for w in all_words:
                text, group, scope = PLACES[kind]
                lines.append(text % w)
                tried.append((len(lines) - 1, text.index("%"), w, group, scope))
    return lines, tried


def vim(lines, tried):
    """The group at each place, by Vim."""
    with tempfile.TemporaryDirectory() as folder:
        sample, probe, out = (os.path.join(folder, n) for n in ("sample.td", "probe.vim", "out"))
        with open(sample, "w") as f:
            f.write("\n".join(lines) + "\n")
        with open(probe, "w") as f:
            f.write("let r = [&filetype]\n")
            f.writelines(f"call add(r, synIDattr(synID({l + 1}, {c + 1}, 1), 'name'))\n" for l, c, *_ in tried)
            f.write(f"call writefile(r, '{out}')\nqa!\n")
        subprocess.run([
            "vim", "-u", "NONE", "-i", "NONE", "-N", "-es", "--cmd", f"set rtp^={ROOT}/editors/vim", "-c",
            "filetype on", "-c", "syntax on", "-c", f"edit {sample}", "-c", f"source {probe}", "-c", "qa!"
        ],
                       stdin=subprocess.DEVNULL,
                       timeout=60)
        with open(out) as f:
            filetype, *groups = f.read().split("\n")
    assert filetype == "td", f"the file's type is {filetype}"
    return groups


def textmate(lines, tried):
    """The scopes at each place, by a TextMate engine."""
    from textmate_grammar.parsers.base import LanguageParser
    import logging
    logging.disable(logging.CRITICAL)
    with open(os.path.join(ROOT, "editors", "vscode", "syntaxes", "td.tmLanguage.json")) as f:
        grammar = json.load(f)
    parser = LanguageParser(grammar)
    element = parser.parse_string("\n".join(lines) + "\n")
    scopes = {}
    for (line, at), text, names in element.flatten():
        for k in range(len(text)):
            scopes[(line, at + k)] = names
    return [scopes.get((l, c), []) for l, c, *_ in tried]


def main():
    lines, tried = cases()
    passed = failed = 0

    def verdict(ok, what):
        nonlocal passed, failed
        passed, failed = passed + ok, failed + (not ok)
        if not ok:
            print(f"FAILED: {what}")

    if shutil.which("vim") and "+syntax" in subprocess.run(["vim", "--version"], capture_output=True, text=True).stdout:
        for (l, c, part, group, _), got in zip(tried, vim(lines, tried)):
            verdict(got == (group or ""),
                    f"vim: {part} in {lines[l]!r}: {got or 'no group'}, expected {group or 'none'}")
    else:
        print("there is no vim with syntax here: its file is held to the tables, and not run")
    try:
        import textmate_grammar  # noqa: F401
    except ImportError:
        print("there is no textmate_grammar here: the TextMate grammar is held to the tables, and not run")
    else:
        for (l, c, part, _, scope), got in zip(tried, textmate(lines, tried)):
            own = [n for n in got if n != "source.td"]
            ok = any(n.startswith(scope) for n in own) if scope else not [n for n in own if "operator" not in n]
            verdict(ok, f"TextMate: {part} in {lines[l]!r}: {own}, expected {scope or 'none'}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
