#!/bin/bash
# The order of arguments (clause 10.2) in C, the manifest, Python and the runner. See arguments.py.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
export TDC=${TDC:-build/tdc} TDC_CACHE=$(realpath -m "${B:-build}")/cache PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1
for f in order dims; do
    (quick_compilers && "$TDC" check tests/arguments/$f.td --emu) >"$dir/check" 2>&1
    counted $? "$dir/check"
    "$TDC" tests/arguments/$f.td -o "$dir/$f.cu" --emit=cu,c,h,manifest || exit 1
done
for python in python3 /usr/bin/python3; do
    $python -c 'import numpy' 2>/dev/null && break
done
$python tests/arguments/arguments.py "$dir" >"$dir/log" 2>&1
counted $? "$dir/log"
finish
