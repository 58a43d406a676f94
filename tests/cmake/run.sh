#!/bin/bash
# The package for CMake: a program of two libraries of models, for the CPU stand-in, found in the checkout. With TDC_EVERY=1 also found
# where tdc is installed and added as a folder, by both generators, and compiled for GPUs where there is nvcc.
cd "$(dirname "$0")/../.." || exit 1
root=$PWD B=${B:-build}
TDC=$(realpath "${TDC:-$B/tdc}")
. tests/suite.sh
cp -r tests/cmake "$dir/src"
unset TDC_HOME MAKEFLAGS MFLAGS MAKELEVEL
cd "$dir" || exit 1
build() { cmake --build "$1" -j 2 >log 2>&1; }
# app NAME GENERATOR OPTION...: configured and built in the folder NAME
app() {
    local name=$1 generator=$2
    shift 2
    cmake -S src -B "$name" -G "$generator" "$@" >log 2>&1 && build "$name"
    verdict $? "$name: $generator $*: $(grep -iE 'error|undefined|no rule' log | head -n 5) $(tail -n 5 log)"
}
runs() { same "what $1/app prints" "$("$1/app" 2>&1)" '8 8 10'; }
# idle NAME: nothing is left to be built; otherwise it says what is
idle() {
    local done
    build "$1"
    done=$(grep -E 'Compiling|Building|Linking' log)
    same "a second build of $1" "$done" ''
}
# again NAME FILE...: a change of the last one compiles these models again, and no others
again() {
    local name=$1 touched=${*: -1}
    shift
    touch "src/$touched"
    build "$name"
    same "a change of $touched in $name" "$(grep -oE 'Compiling [^ ]*' log | sort | tr '\n' ' ')" "$(printf 'Compiling %s\n' "${@:1:$#-1}" | sort | tr '\n' ' ')"
    runs "$name"
}
# refused TEXT CALL: the call of tdc_add_library is refused with this text
refused() {
    local said
    said=$(cmake -S src -B "$here" "-DWRONG=tdc_add_library(wrong $2)" 2>&1 | tr -s ' \n' ' ')
    grep -qE -- "$1" <<<"$said"
    verdict $? "tdc_add_library(wrong $2): expected $1: $said"
}

here=checkout
app $here Ninja -DTDC_EMU=ON -DTDC_EXECUTABLE="$TDC" -Dtdc_DIR="$root/cmake" -DCMAKE_BUILD_TYPE=Debug
runs $here
idle $here
again $here twice.td twice.td models/lib/factor.td
idle $here
cmake -S src -B $here '-DTARGETS=sm_80;sm_90a' >log 2>&1 && grep -q -- ' --target=sm_80,sm_90a ' $here/build.ninja
verdict $? "several targets: $(tail -n 5 log)"
refused 'SOURCES names no td file' ''
refused 'unexpected sum.td; there are SOURCES,' 'sum.td'
refused 'PREFIX is for one source' 'SOURCES sum.td models/twice.td PREFIX p'
refused 'two sources would make .*sum.cu' 'SOURCES sum.td models/sum.td'
said=$(cmake -S src -B none -G Ninja -DTDC_EMU=ON -DTDC_EXECUTABLE=/nowhere/tdc -Dtdc_DIR="$root/cmake" 2>&1)
grep -q '/nowhere/tdc --print-dir=emu fails' <<<"$said"
verdict $? "without tdc: $said"

if [ "${TDC_EVERY:-0}" = 1 ]; then
    env make -s -C "$root" install "B=$B" "DESTDIR=$dir/stage" PREFIX=/usr >log 2>&1
    verdict $? "make install: $(tail -n 5 log)"
    while IFS='|' read -r here generator found; do
        app "$here" "$generator" -DTDC_EMU=ON "$found" "-DTDC_EXECUTABLE=$([ "$here" = found ] && echo "$TDC")"
        [ -e "$here/app" ] || ln -s Debug/app "$here/app" # of a generator of several configurations
        runs "$here"
        idle "$here"
        again "$here" ../sum.td sum.td
    done <<END
installed|Ninja|-DCMAKE_PREFIX_PATH=$dir/stage/usr
make|Unix Makefiles|-DCMAKE_PREFIX_PATH=$dir/stage/usr
several|Ninja Multi-Config|-DCMAKE_PREFIX_PATH=$dir/stage/usr
found|Unix Makefiles|-DCMAKE_PREFIX_PATH=$root
folder|Unix Makefiles|-DTDC_FROM=$root
END
    nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; })
    if [ -n "$nvcc" ]; then
        CUDACXX=$nvcc app gpu Ninja -DCMAKE_PREFIX_PATH="$dir/stage/usr" && idle gpu
    else
        echo 'no nvcc here: the build for GPUs is not tested'
    fi
    # the project of docs/build.md
    mkdir page && cp src/sum.td page && echo 'export fn twice(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }' >page/twice.td
    printf '#include "sum.h"\n#include "twice.h"\n#include <stdio.h>\nint main(void) { return puts("8 8 10") < 0; }\n' >page/main.c
    sed -n '/^```cmake$/,/^```$/{//!p}' "$root/docs/build.md" >page/CMakeLists.txt
    { cmake -S page -B page/b -DTDC_EMU=ON "-Dtdc_DIR=$("$dir/stage/usr/bin/tdc" --print-dir=cmake)" && cmake --build page/b; } >log 2>&1
    verdict $? "docs/build.md: $(tail -n 5 log)"
    runs page/b
    # tdc alone: built and installed by CMake
    { cmake -S "$root" -B alone -G Ninja && cmake --build alone && DESTDIR=$dir/d cmake --install alone --prefix /usr; } >log 2>&1 &&
        "$dir/d/usr/bin/tdc" --print-dir=cmake >/dev/null
    verdict $? "tdc by CMake: $(tail -n 5 log)"
fi
finish
