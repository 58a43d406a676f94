#!/bin/bash
# One golden test: FILE.td or FILE.kernel with sibling files named after passes (`tdc --help` lists them).
# A first line `// flags: ...` gives further options. With UPDATE=1 the siblings are rewritten.
set -u
file=$1
stem=${file%.*}
flags=$(sed -n '1s,^// flags: ,,p' "$file")
passed=0 failed=0
for want in "$stem".*; do
    pass=${want##*.}
    case $pass in td | kernel) continue ;; esac
    # shellcheck disable=SC2086 # flags is a list of words
    got=$("$TDC" "$file" $flags --dump="$pass" --stop-after="$pass" 2>&1; echo "$?.")
    status=${got##*[!0-9.]}
    got=${got%"$status"}
    if [ "$status" != 0. ]; then
        printf '%s\n%s\n' "$file --dump=$pass fails:" "$got"
        failed=$((failed + 1))
    elif [ "${UPDATE:-0}" = 1 ]; then
        printf '%s' "$got" >"$want"
        passed=$((passed + 1))
    elif diff -u "$want" <(printf '%s' "$got"); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
[ $((passed + failed)) -gt 0 ] || { echo "no sibling of $file says what is expected"; failed=1; }
echo "$passed passed, $failed failed"
[ $failed = 0 ]
