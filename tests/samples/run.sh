#!/bin/bash
# samples/ as its Makefile builds it, on the CPU stand-in: every program says that its results are right, and a second make
# does nothing, but for what imports a file that is newer.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
quick_compilers
given=(--no-print-directory -s "TDC=$(realpath "${TDC:-build/tdc}")" "EMU=$PWD/backend_cuda/emu" "OUT=$dir/out")
build() { make -C samples "${given[@]}" "$@"; }
build -k all || echo "FAILED: make"
for f in samples/*_main.c; do
    name=$(basename "$f" _main.c)
    "$dir/out/$name"
    verdict $? "$name"
done
build -q all
verdict $? 'a second make has work to do'
newer() { build -q -W "$(realpath stdlib/linalg.td)" "$dir/out/$1"; }
newer softmax && ! newer mlp
verdict $? 'a newer import rebuilds something else than its users'

# ---- the rules that are for copying, alone in another folder ----
rm "$dir"/out/softmax*
mkdir "$dir/copied" && cp samples/softmax.td samples/softmax_main.c samples/sample.h "$dir/copied"
sed -n '/^# ---- copy from here/,/^# ---- to here/p' samples/Makefile >"$dir/copied/Makefile"
make -C "$dir/copied" "${given[@]}" "$dir/out/softmax" && "$dir/out/softmax"
verdict $? 'the copied rules'
finish
