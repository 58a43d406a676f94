#!/bin/bash
# The time that tdc takes grows with its input and no faster: programs of ten times as many definitions take at most
# MARGIN times the processor time; a thousand definitions take seconds under no circumstances. (Under 300 ms is what
# they take on an idle machine: tests/speed/measure.sh.)
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-${B:-build}/tdc}")
here=$PWD
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
MARGIN=35 FLOOR=10 MOST=3000 # ten times, with noise; milliseconds below which a time says nothing
[[ $tdc == */san/* ]] && MOST=60000
passed=0 failed=0

millis() { # FILE: user and system time of a compilation
    local TIMEFORMAT='%U %S' t
    t=$({ time "$tdc" "$1" -o out.cu >out.txt 2>&1; } 2>&1) || { cat out.txt >&2; echo -1; return; }
    awk '{ printf "%d\n", ($1 + $2) * 1000 }' <<<"$t"
}

for kind in chain reverse dag functions calls outputs exports products rows; do
    large=5000
    case $kind in outputs) large=2000 ;; exports | products | rows) large=2000 ;; esac
    python3 "$here/tests/speed/generate.py" $kind $((large / 10)) >small.td
    python3 "$here/tests/speed/generate.py" $kind 1000 >thousand.td
    python3 "$here/tests/speed/generate.py" $kind $large >large.td
    a=$(millis small.td) b=$(millis large.td) c=$(millis thousand.td)
    [ "$a" -ge 0 ] && [ "$a" -lt $FLOOR ] && a=$FLOOR
    if [ "$a" -ge 0 ] && [ "$b" -ge 0 ] && [ "$c" -ge 0 ] && [ "$b" -le $((a * MARGIN)) ] && [ "$c" -le $MOST ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$kind: $((large / 10)) definitions $a ms, $large $b ms, 1000 $c ms"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
