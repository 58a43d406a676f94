#!/bin/bash
# The files that tdc writes: outputs.py, whatever fails; make.sh and names.py, for make.
cd "$(dirname "$0")/../.." || exit 1
TDC=$(realpath "${TDC:-build/tdc}")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
gcc -O1 -shared -fPIC -w -o "$dir/fault.so" tests/outputs/fault.c -ldl || exit 1
mkdir "$dir/a" "$dir/b"
status=0
{
    python3 tests/outputs/outputs.py "$TDC" "$dir/fault.so" "$dir/a" || status=1
    bash tests/outputs/make.sh "$TDC" || status=1
    python3 tests/outputs/names.py "$TDC" "$dir/b" || status=1
} >"$dir/log" 2>&1
awk '/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3; next } { print } END { printf "%d passed, %d failed\n", p, f }' "$dir/log"
exit $status
