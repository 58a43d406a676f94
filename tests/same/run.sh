#!/bin/bash
# The same bytes whatever compiled tdc and however often it runs: tdc from gcc, and from clang (whose -O1 costs less than -O0
# with the runs) with other rubbish in fresh memory (without clang the same tdc). Over the goldens, the programs of tests/language,
# the samples, every fourth file of tests/kernels, and every twelfth of the standard library's functions as tests/stdlib exports them;
# with TDC_EVERY=1 over all.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
export TDC_HOME=$PWD
TDC=$(realpath "${TDC:-$B/tdc}")
. tests/suite.sh
mkdir "$dir/first"
cp -r tests/golden tests/language tests/kernels tests/glue samples "$dir/first"
cp bench/products.td tests/frontend/host.td "$dir/first/samples"
[ -n "${TDC_EVERY:-}" ] || ls "$dir"/first/kernels/*.* | awk 'NR % 4' | xargs rm
mkdir "$dir/first/library" "$dir/first/out"
for python in python3 /usr/bin/python3; do
    PYTHONDONTWRITEBYTECODE=1 $python tests/same/library.py "$dir/first/library" 2>"$dir/log" && break
done
[ "$(cat "$dir"/first/library/*.td | wc -l)" -gt 60 ]
verdict $? "the standard library's functions cannot be listed: $(tail -n 3 "$dir/log")"
cp -r "$dir/first" "$dir/second"

all() { # TDC FOLDER: in the folder, every input's files, and what is said
    local f
    cd "$2" || exit 1
    for f in */*.td */*.kernel; do
        [ -e "$f" ] || continue
        "$1" "$f" -o "out/${f//\//_}.cu" --emit=cu,c,h,manifest,driver -Wperf -MD >"out/${f//\//_}.said" 2>&1 || echo "status $?" >>"out/${f//\//_}.said"
    done
}
all "$TDC" "$dir/first" &
other=$TDC
if command -v clang >/dev/null; then
    env -u MAKEFLAGS -u MFLAGS CFLAGS=-O1 make -s CC=clang "B=$B/clang" "$B/clang/tdc" >"$dir/log" 2>&1
    verdict $? "tdc does not compile with clang: $(tail -n 20 "$dir/log")"
    other=$PWD/$B/clang/tdc
else
    echo "no clang here: the bytes of another compiler are not compared"
fi
(MALLOC_PERTURB_=85 all "$other" "$dir/second")
wait
for f in "$dir"/*/out; do
    [ "$(ls "$f" | wc -l)" -gt 150 ]
    verdict $? "${f#"$dir/"}: only $(ls "$f" | wc -l) files were compared"
done
diff -rq "$dir/first/out" "$dir/second/out" >"$dir/log"
passed=$((passed + $(ls "$dir/first/out" | wc -l) - $(wc -l <"$dir/log")))
while read -r line; do verdict 1 "$line"; done <"$dir/log"
diff -r "$dir/first/out" "$dir/second/out" | head -n 20
refused=$(grep -l '^status' "$dir"/first/out/*.said)
[ -z "$refused" ]
verdict $? "these do not compile: $refused"
finish
