#!/bin/bash
# The table of figures in README.md is what bench/measure.py prints of the measurements that are kept: no figure is
# written by hand.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
command=$(sed -n 's/^`\(python3 bench\/measure.py table .*\)` reprints it.*/\1/p' README.md)
table=$(mktemp) && readme=$(mktemp) || exit 1
trap 'rm -f "$table" "$readme"' EXIT
[ -n "$command" ] && bash -c "$command" >"$table" && [ "$(wc -l <"$table")" -gt 5 ] || { echo "README.md does not say how to print its figures"; exit 1; }
awk -v first="$(head -n 1 "$table")" '$0 == first { on = 1 } on && !/^\|/ { exit } on' README.md >"$readme"
diff "$readme" "$table" && echo "$(wc -l <"$table") passed, 0 failed"
