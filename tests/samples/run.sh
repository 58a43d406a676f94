#!/bin/bash
# samples/ as its Makefile builds it, on the CPU stand-in: every program says that its results are right, and a second make
# does nothing, but for what imports a file that is newer.
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
build() { make --no-print-directory -s -C samples TDC="$(realpath "${TDC:-build/tdc}")" EMU=1 OUT="$dir/out" "$@"; }
passed=0 failed=0
build -k all || echo "FAILED: make"
for f in samples/*_main.c; do
    name=$(basename "$f" _main.c)
    if "$dir/out/$name"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
    fi
done
if build -q all; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: a second make has work to do"
fi
newer() { build -q -W "$(realpath stdlib/linalg.td)" "$dir/out/$1"; }
if newer softmax && ! newer mlp; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: a newer import rebuilds something else than its users"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
