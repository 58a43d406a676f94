#!/bin/bash
# One error test: every `// expect error[E0123]: text` (or warning) in FILE is reported on its line, and nothing else is.
# The text need only be contained. A first line `// flags: ...` gives further options.
set -u
file=$1
flags=$(sed -n '1s,^// flags: ,,p' "$file")
# shellcheck disable=SC2086 # flags is a list of words
got=$("$TDC" "$file" $flags --stop-after=kernels 2>&1)
status=$?
failed=0
want=$(grep -nE '// expect (error|warning)\[' "$file" | sed -E 's,^([0-9]+):.*// expect ((error|warning)\[[A-Z0-9]+\]): ?(.*)$,\1 \2 \4,')
[ -n "$want" ] || { echo "$file expects nothing"; exit 1; }
found=$(printf '%s\n' "$got" | sed -nE 's,^[^ ]+:([0-9]+):[0-9]+: ((error|warning)\[[A-Z0-9]+\]): (.*)$,\1 \2 \4,p')
while read -r line code text; do
    printf '%s\n' "$found" | grep -F "$line $code " | grep -qF -- "$text" || { echo "not reported: $file:$line: $code: $text"; failed=1; }
done <<<"$want"
while read -r line code text; do
    [ -z "$line" ] && continue
    printf '%s\n' "$want" | grep -qF "$line $code" || { echo "not expected: $file:$line: $code: $text"; failed=1; }
done <<<"$found"
case $want in
    *error*) [ $status = 1 ] || { echo "exit status $status, expected 1"; failed=1; } ;;
    *) [ $status = 0 ] || { echo "exit status $status, expected 0"; failed=1; } ;;
esac
exit $failed
