#!/bin/bash
# The same bytes whatever compiled tdc and however often it runs: tdc from gcc, the same with other rubbish in fresh memory
# (but for the library, which takes long), and from clang without optimisation. Over the goldens, the programs of
# tests/language, the samples, the kernel texts, and the standard library's functions as tests/stdlib exports them: every
# sixth, with TDC_EVERY=1 all.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
export TDC_HOME=$PWD
TDC=$(realpath "${TDC:-$B/tdc}")
. tests/suite.sh
mkdir "$dir/first"
cp -r tests/golden tests/language tests/kernels samples "$dir/first"
mkdir "$dir/first/library" "$dir/first/out"
for python in python3 /usr/bin/python3; do
    PYTHONDONTWRITEBYTECODE=1 $python tests/same/library.py "$dir/first/library" 2>"$dir/log" && break
done
[ "$(cat "$dir"/first/library/*.td | wc -l)" -gt 60 ]
verdict $? "the standard library's functions cannot be listed: $(tail -n 3 "$dir/log")"
cp -r "$dir/first" "$dir/second"
cp -r "$dir/first" "$dir/clang"
rm "$dir"/second/library/*

all() { # TDC FOLDER: in the folder, every input's files, and what is said
    local f
    cd "$2" || exit 1
    for f in */*.td */*.kernel; do
        [ -e "$f" ] || continue
        "$1" "$f" -o "out/${f//\//_}.cu" --emit=cu,c,h,manifest,driver -Wperf -MD >"out/${f//\//_}.said" 2>&1 || echo "status $?" >>"out/${f//\//_}.said"
    done
}
all "$TDC" "$dir/first" &
if command -v clang >/dev/null; then
    env -u MAKEFLAGS -u MFLAGS CFLAGS=-O0 make -s CC=clang "B=$B/clang" "$B/clang/tdc" >"$dir/log" 2>&1
    verdict $? "tdc does not compile with clang: $(tail -n 20 "$dir/log")"
    (all "$PWD/$B/clang/tdc" "$dir/clang")
    others='second clang'
else
    echo "no clang here: the bytes of another compiler are not compared"
    others=second
fi
(MALLOC_PERTURB_=85 all "$TDC" "$dir/second")
wait
for other in $others; do
    for f in "$dir/$other"/out/*; do
        cmp -s "$f" "$dir/first/out/${f##*/}"
        verdict $? "$other: $(diff "$dir/first/out/${f##*/}" "$f" | head -n 5)"
    done
    [ "$(ls "$dir/$other/out" | wc -l)" -gt 150 ]
    verdict $? "$other: only $(ls "$dir/$other/out" | wc -l) files were compared"
done
refused=$(grep -l '^status' "$dir"/first/out/*.said)
[ -z "$refused" ]
verdict $? "these do not compile: $refused"
finish
