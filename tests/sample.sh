#!/bin/bash
# What `make check` has time for of a program's checks: prints the file that has them. Checks whose lines end in `// check-all`
# are left out of a copy below $B; without such lines, and with TDC_EVERY=1, it is the file itself; nothing, where no check is left.
file=$1 to=${B:-build}/sample/${1#tests/}
if [ "${TDC_EVERY:-}" = 1 ] || ! grep -q '^check .*// check-all$' "$file"; then
    echo "$file"
elif grep '^check ' "$file" | grep -qv '// check-all$'; then
    mkdir -p "${to%/*}"
    sed 's,^check .*// check-all$,,' "$file" >"$to.$$" && mv "$to.$$" "$to" && echo "$to"
fi
