#!/bin/bash
# Hostile sources (generate.py): each compiles, or is refused with a report and exit status 1, within 5 seconds of
# processor time and 1 GB. Every other source; with TDC_EVERY=1 each.
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-${B:-build}/tdc}")
sources=$(realpath tests/*/*.td samples/*.td)
. tests/suite.sh
here=$PWD
cd "$dir" || exit 1
# shellcheck disable=SC2086
python3 "$here/tests/hostile/generate.py" 1000000 $sources >list || exit 1
limits='ulimit -v 1000000 -t 5'
[[ $tdc == */build/san/* ]] && limits='ulimit -t 60' # the sanitizers' shadow has no bound
while read -r file status says; do
    turn 2 || continue
    (
        $limits
        exec "$tdc" "$file" -o out.cu
    ) >out.txt 2>&1
    have=$? why=
    if [[ $status != *"$have"* || $have -gt 1 ]]; then
        why="exit status $have"
    elif [ $have = 1 ] && ! grep -qE 'error\[E[0-9]+\]' out.txt; then
        why="no error is reported"
    elif grep -qE 'error\[E0001\]' out.txt; then
        why="an internal error"
    elif [ "$says" != - ] && ! grep -qF "$says" out.txt; then
        why="it does not say $says"
    fi
    [ -z "$why" ]
    verdict $? "$file: $why: $(head -c 400 out.txt)"
done <list
finish
