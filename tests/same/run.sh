#!/bin/bash
# The same bytes however often tdc runs and whatever compiled it: tdc from gcc, and the same with other rubbish in fresh
# memory, or with TDC_EVERY=1 one from clang. Over every fifth file of the goldens, every third program of tests/language,
# every fourth sample, every twelfth of tests/kernels, and a sixth of the modules of the standard library, every twelfth
# function of each as tests/stdlib exports them; with TDC_EVERY=1 over all.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
export TDC_HOME=$PWD
TDC=$(realpath "${TDC:-$B/tdc}")
. tests/suite.sh
mkdir "$dir/first"
cp -r tests/golden tests/language tests/kernels tests/glue samples "$dir/first"
cp bench/products.td tests/frontend/host.td "$dir/first/samples"
mkdir "$dir/first/library" "$dir/first/out"
for python in python3 /usr/bin/python3; do
    PYTHONDONTWRITEBYTECODE=1 $python tests/same/library.py "$dir/first/library" 2>"$dir/log" && break
done
[ "$(cat "$dir"/first/library/*.td | wc -l)" -gt 60 ]
verdict $? "the standard library's functions cannot be listed: $(tail -n 3 "$dir/log")"
least=600
if [ "${TDC_EVERY:-}" != 1 ]; then
    while read -r folder n; do ls "$dir/first/$folder"/*.* | awk -v n="$n" 'NR % n' | xargs rm; done <<'END'
golden 5
language 3
kernels 12
samples 4
library 6
END
    least=100
fi
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
if [ "${TDC_EVERY:-}" = 1 ] && command -v clang >/dev/null; then
    env -u MAKEFLAGS -u MFLAGS CFLAGS=-O1 make -s CC=clang "B=$B/clang" "$B/clang/tdc" >"$dir/log" 2>&1
    verdict $? "tdc does not compile with clang: $(tail -n 20 "$dir/log")"
    other=$PWD/$B/clang/tdc
elif [ "${TDC_EVERY:-}" = 1 ]; then
    echo "no clang here: the bytes of another compiler are not compared"
fi
(MALLOC_PERTURB_=85 all "$other" "$dir/second")
wait
for f in "$dir"/*/out; do
    [ "$(ls "$f" | wc -l)" -gt $least ]
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
