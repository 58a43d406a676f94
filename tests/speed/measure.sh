#!/bin/bash
# Prints what a thousand, and a hundred thousand, definitions of each kind cost: seconds and kilobytes.
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-${B:-build}/tdc}")
here=$PWD
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
for n in 1000 100000; do
    for kind in chain reverse dag functions calls outputs exports products rows; do
        case $n$kind in 100000outputs) continue ;; esac # a list has at most 4096 elements
        python3 "$here/tests/speed/generate.py" $kind $n >p.td
        /usr/bin/time -f "$n $kind: %e s, %U user, %M KB, exit status %x" timeout 300 "$tdc" p.td -o out.cu 2>&1 | tail -n 1
    done
done
