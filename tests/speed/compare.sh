#!/bin/bash
# How much user time this tdc takes beside another one: tests/speed/compare.sh OTHER_TDC [N]. Each kind of program of
# generate.py (N definitions, 1000 without it) is compiled seven times by both, by turns; printed are the medians and their ratio.
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-${B:-build}/tdc}")
other=$(realpath "$1") here=$PWD n=${2:-1000}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
user() { # TDC: seconds of user time, appended to FILE
    /usr/bin/time -a -o "$2" -f %U timeout 300 "$1" p.td -o out.cu >/dev/null 2>&1
}
median() { sort -g "$1" | sed -n 4p; }
for kind in chain reverse dag functions calls outputs exports products rows; do
    python3 "$here/tests/speed/generate.py" $kind "$n" >p.td
    rm -f a b
    for _ in 1 2 3 4 5 6 7; do
        user "$other" a
        user "$tdc" b
    done
    echo "$kind $(median a) $(median b)"
done | awk '{ printf "%-10s other %6.2f s, this %6.2f s, ratio %.2f\n", $1, $2, $3, $3 / ($2 > 0 ? $2 : 0.01); a += $2; b += $3 }
    END { printf "all        other %6.2f s, this %6.2f s, ratio %.3f\n", a, b, b / a }'
