#!/bin/bash
# The lowering decides on kernels, then prints: none of its files looks at text that was printed. Only lower_print.c, the lists of
# names in lower_names.c, the prelude's reader and the reader of statements' formats (lower_form.c) may compare, search or measure
# strings. memcmp of arrays (with a sizeof) compares no text. `allowed` has what looks at another text: a file and words of a line.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
allowed="lower_expr.c sscanf(b, ; the digits of a number that is being written
lower_expr.c for (const char *c = b; ; the same digits"
failed=0 passed=0
for file in backend_cuda/lower/*.[ch]; do
    case ${file##*/} in lower_print.c | lower_names.c | lower_prelude.c | lower_form.c) continue ;; esac
    # comments are left out, strings are emptied
    found=$(gcc -fpreprocessed -dD -E -P -x c - <"$file" 2>/dev/null | sed -E 's/"([^"\\]|\\.)*"/""/g' |
        grep -nE "\b(str(n?cmp|n?casecmp|str|r?chr|pbrk|c?spn|n?len|to[a-z]+)|mem(cmp|chr|mem)|sscanf|ato[a-z]+)\(|[=!]= '" |
        grep -vE '\bmemcmp\([^;]*sizeof' | grep -vF "$(sed -n "s/^${file##*/} \(.*\) ; .*/\1/p" <<<"$allowed" | grep . || echo '*nothing*')")
    if [ -n "$found" ]; then
        failed=$((failed + 1))
        sed "s,^[0-9]*: *,$file looks at text: ," <<<"$found"
    else
        passed=$((passed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
