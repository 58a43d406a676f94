#!/bin/sh
# Tests of the CPU stand-in: builds and runs tests/emu/*.cu and host.c, prints "N passed, N failed". From the project's folder:
#   tests/emu/run.sh [SAN=1] [bench]      SAN=1: under address and undefined-behaviour sanitizers; bench: measures instead
# The programs themselves, whose headers take g++ four times as long with optimisation, are compiled without but for bench.
cd "$(dirname "$0")/../.." || exit 1
emu=backend_cuda/emu out=${B:-build}/emu flags="-O2 -g" quick=-O0 CXX=${CXX:-g++} CC=${CC:-gcc} bench=
for a; do
    case $a in
    SAN=1) SAN=1 ;;
    bench) bench=1 ;;
    *) echo "unknown argument $a" >&2; exit 2 ;;
    esac
done
[ -z "$SAN$bench" ] || quick=
[ -z "$SAN" ] || { flags="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined"; out=$out-san; }
warn="-Wall -Wextra -Wpedantic -Wno-unknown-pragmas -Werror"
mkdir -p "$out"
$CXX -std=c++17 $flags $warn -Wshadow -c $emu/runtime.cpp -I $emu -o "$out/runtime.o" || exit 1
# the entries of the prelude that emitted files have outside of #ifndef TD_EMU, and one of the GPU that runs anywhere
awk '/^\/\/@ /{on = $2 == "portable" || $2 == "td_f8_code"; next} on' "${B:-build}/backend_cuda/prelude.cuh" > "$out/portable.inc"

build() { # source, program
    $CXX -std=c++17 $flags $quick $warn -I $emu -I "$out" -x c++ "$1" -x none "$out/runtime.o" -o "$2"
}
if [ -n "$bench" ]; then
    build tests/emu/bench.cu "$out/bench" && exec "$out/bench"
    exit 1
fi
passed=0 failed=0
report() { # name, did it pass
    if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $1 (see $out/$1.log)"; fi
}
for f in tests/emu/*.cu; do
    n=$(basename "$f" .cu)
    [ "$n" != bench ] || continue
    build "$f" "$out/$n" && "$out/$n" > "$out/$n.out" 2> "$out/$n.log" && [ "$(cat "$out/$n.out")" = ok ]
    r=$?
    [ $r = 0 ] || cat "$out/$n.out"
    report "$n" $r
done
$CC -std=c99 -Wall -Wextra -Wpedantic -Werror $flags -I $emu -c tests/emu/host.c -o "$out/host.o" &&
    $CXX $flags "$out/host.o" "$out/runtime.o" -o "$out/host" && "$out/host" > "$out/host.out" 2> "$out/host.log"
report host $?
# seeds and switches from the environment
TD_EMU_SEED=1 TD_EMU_CHECK=0 TD_EMU_STRICT_SHUFFLE=1 "$out/environment" off > "$out/environment.out" 2>&1 &&
    TD_EMU_SEED=7 TD_EMU_STRICT_SHUFFLE=1 "$out/environment" strict >> "$out/environment.out" 2>&1
report environment-switches $?
# every name of the prelude that is not portable is the stand-in's to define, and no portable one
missing=$(awk '/^\/\/@ /{p = $2 == "portable"; for (i = p ? 3 : 2; i <= NF; i++) print p, $i}' backend_cuda/prelude/*.cuh | while read -r p name; do
    case $name in td_arith_of | td_bits | td_of_bits | td_pair | td_access | td_access_ld | td_access_st | td_address | td_atomic_float | td_f8_code | td_f8_value | TD_MATH | TD_FAST | TD_FAST_ASM) continue ;; esac # of the GPU alone
    base=${name#td_}
    if grep -Eq "[ *&]$name[ (<;=]|struct $name |TD_EMU_MATH2\($base,|^FUNCTION\($base,|^FAST\(${base#fast_}\)" $emu/functions.def $emu/td_emu.h $emu/td_half.h $emu/td_math.h $emu/td_small.h; then
        [ "$p" = 0 ] || echo "$name: portable, but defined"
    else
        [ "$p" = 1 ] || echo "$name: not defined"
    fi
done)
[ -z "$missing" ]
r=$?
[ $r = 0 ] || echo "$missing"
report prelude-names $r
echo "$passed passed, $failed failed"
[ $failed = 0 ]
