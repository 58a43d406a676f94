"""Holds the word lists of the editors' grammars to the compiler's tables; --update writes them.

    python3 editors/words.py [--update] [ROOT]      ROOT: the project's folder (this file's)

A list's place in a file is a line's beginning (Vim) or a key of `repository` (TextMate): the first alternation or list of
words behind it is the list."""
import os
import re
import sys


def read(root, *path):
    with open(os.path.join(root, *path), encoding="utf-8") as f:
        return f.read()


def tables(root):
    """The language's words by their kind, in the order of the tables."""
    lexer = re.findall(r'^ *"([a-z]+)" +\{ token = word\(p, t, from, TK_(\w+)\)', read(root, "grammar", "lexer.re"),
                       re.M)
    ops = re.findall(r'^OP\(\w+, "(\w+)", \d+, CALL,', read(root, "ir", "ops.def"), re.M)
    builtins = re.findall(r"^BUILTIN\(\w+, (\w+), (\w+), -?\d+\)", read(root, "frontend", "ast", "builtins.def"),
                          re.M)
    rankings = re.findall(r"^RANKING\(\w+, (\w+),", read(root, "frontend", "ast", "builtins.def"), re.M)
    options = read(root, "ir", "options.def")
    words = {
        "numbers": [w for w, token in lexer if token == "FLOAT"],
        "booleans": [w for w, token in lexer if token in ("TRUE", "FALSE")],
        "conditionals": [w for w, token in lexer if token in ("IF", "THEN", "ELSE")],
        "clauses": [w for w, token in lexer if token.startswith("W_")],
        "types": re.findall(r"^TYPE\(\w+, (\w+),", read(root, "ir", "types.def"), re.M),
        "reductions": re.findall(r"^MONOID\(\w+, (\w+),", read(root, "ir", "monoids.def"), re.M) +
                      [w for w, kind in builtins if kind == "REDUCTION"] + rankings,
        "option": re.findall(r"^OPTION\(\w+, (\w+)\)", options, re.M),
        "value": list(dict.fromkeys(re.findall(r"^OPTION_VALUE\(\w+, \w+, (\w+), ", options, re.M))),
    }
    taken = {w for kind in ("numbers", "booleans", "conditionals", "clauses") for w in words[kind]}
    functions = dict.fromkeys(ops + [w for w, kind in builtins if kind != "REDUCTION"])
    words["keywords"] = [w for w, _ in lexer if w not in taken and w not in functions]
    words["functions"] = list(functions)
    assert all(words.values()), f"a table could not be read: {words}"
    return words


# Vim's `syn keyword` takes some words, `fold` for one, for its own options.
LIST = r"(?P<words>\w+(?: \w+)*)$"  # of syn keyword
OR = r"[^\n]*?\\%\((?P<words>\w+(?:\\\|\w+)+)\\\)"  # \%(a\|b\): the first in its line that is words alone
VIM = {
    "keywords": "syn match tdKeyword " + OR, "conditionals": "syn keyword tdConditional " + LIST,
    "booleans": "syn keyword tdBoolean " + LIST, "numbers": "syn keyword tdFloat " + LIST,
    "types": "syn keyword tdType " + LIST, "functions": "syn match tdFunction " + OR,
    "reductions": "syn match tdReduction " + OR, "clauses": "syn match tdClause " + OR,
    "option": "syn match tdOption " + OR, "value": "syn match tdOptionValue " + OR
}
FILES = {
    "editors/vim/syntax/td.vim": lambda kind: (r"^" + VIM[kind], r"\|" if "match" in VIM[kind] else " "),
    "editors/vscode/syntaxes/td.tmLanguage.json": lambda kind:
    (rf'^    "{kind}": {{.*?\(\?:(?P<words>\w+(?:\|\w+)*)\)', "|"),
}


def main(arguments):
    update = "--update" in arguments
    roots = [a for a in arguments if a != "--update"]
    root = roots[0] if roots else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    wrong = 0
    for kind, words in tables(root).items():
        for path, place in FILES.items():
            pattern, between = place(kind)
            text = read(root, path)
            found = re.search(pattern, text, re.M | re.S)
            if not found:
                raise SystemExit(f"{path}: there is no list of {kind}")
            there = found["words"].split(between)
            if there == words:
                continue
            if update:
                with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                    f.write(text[:found.start("words")] + between.join(words) + text[found.end("words"):])
                continue
            wrong += 1
            differs = [f"{w} is missing"
                       for w in words if w not in there] + [f"{w} is no word" for w in there if w not in words]
            print(f"{path}: {kind}: {', '.join(differs) or 'another order'}: python3 editors/words.py --update")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
