#!/bin/bash
# Matrix products in every pair of types that the library multiplies, by rows and by columns, with what its epilogues take, against the
# interpreter: at small sizes on the stand-in; with TARGET=--gpu at odd sizes up to 1000 on the GPU of this machine.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
tdc=$(realpath "${TDC:-build/tdc}")
target=${TARGET:---emu}
size=small inputs=normal,nan
if [ "$target" = --gpu ]; then size=large inputs=normal; else quick_compilers; fi
python3 tests/library/generate.py "$dir" $size || exit 1
for f in "$dir"/*.td; do echo "$f"; done |
    xargs -P "${JOBS:-2}" -I{} sh -c "'$tdc' check $target --inputs=$inputs {} >{}.out 2>&1; echo \$? >{}.rc"
passed=0 failed=0
for f in "$dir"/*.td; do
    # every one of them is the library's, or this tests nothing
    [ "$("$tdc" --dump=kernels "$f" -o "$dir/x.cu" | grep -c '^  library')" = "$(grep -c '^export' "$f")" ] ||
        { echo "$f: an entry is not the library's"; failed=$((failed + 1)); }
    grep -a '^FAILED' -A1 "$f.out"
    line=$(tail -n 1 "$f.out")
    case $line in *passed,*failed) passed=$((passed + ${line%% *})) line=${line#*, } failed=$((failed + ${line%% *})) ;;
    *) cat "$f.out"; failed=$((failed + 1)) ;; esac
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
