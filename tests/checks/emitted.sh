#!/bin/bash
# The emitted files under the warnings of gcc and clang: model.c as C99, C11 and C++17, model.h alone as C99 and C++17;
# and model.cu with nvcc where there is one, without most of its optimisations, which take three times as long. Of
# matrix products and of what glue has tests for, of every third sample and every eighth kernel text; with TDC_EVERY=1 of
# each (what nvcc leaves out the stand-in's compiler sees when it runs). nvcc takes a second for the headers alone: the
# files of all models are one to it, each in a namespace of its own. What gcc says of the flow of control it says of the
# C99; the other compilers read the text, and make no code of it.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
TDC=${TDC:-build/tdc}
[ -x "$TDC" ] || { echo "no $TDC"; exit 1; }
. tests/suite.sh
clang=$(command -v clang)
nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; })
include=backend_cuda/emu
[ -n "$nvcc" ] && include=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include
try() { # NAME COMMAND...
    local name=$1
    shift
    "$@" >"$dir/log" 2>&1
    verdict $? "$name: $*: $(head -n 20 "$dir/log")"
}
strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror -isystem $include -I $dir"
# joined NUMBER FILE: model.cu's text goes to the file of those that include the same headers, so that none lacks what another brings
joined() {
    local headers=$dir/headers.$(grep '^#include' "$dir/model.cu" | sha256sum | cut -c1-16)
    [ -e "$headers.cu" ] || grep '^#include' "$dir/model.cu" >"$headers.cu"
    printf 'namespace model_%s {\n#line 1 "%s.cu"\n' "$1" "$2" >>"$headers.cu"
    grep -v '^#include' "$dir/model.cu" >>"$headers.cu"
    echo '}' >>"$headers.cu"
}
n=0
for file in samples/*.td bench/products.td tests/frontend/host.td tests/glue/*.kernel tests/kernels/*.kernel; do
    [ -e "$file" ] || continue
    case $file in
        samples/*) turn 3 ;;
        tests/kernels/*) turn 8 ;;
    esac || continue
    n=$((n + 1))
    "$TDC" "$file" -o "$dir/model.cu" "--prefix=m$n" >"$dir/log" 2>&1 || { verdict 1 "$file does not compile: $(cat "$dir/log")" && continue; }
    # shellcheck disable=SC2086 # strict is a list of words
    try "$file: model.c as C99" gcc -std=c99 $strict -S -o /dev/null "$dir/model.c"
    echo '#include "model.h"' >"$dir/alone.c"
    # shellcheck disable=SC2086
    {
        try "$file: model.c as C++17" g++ -std=c++17 $strict -x c++ -fsyntax-only "$dir/model.c"
        [ -n "$clang" ] && try "$file: model.c as C11 by clang" clang -std=c11 $strict -fsyntax-only "$dir/model.c"
        [ -n "$clang" ] && [[ $file == samples/* ]] && try "$file: model.c as C++17 by clang" clang++ -std=c++17 $strict -Wno-deprecated -x c++ -fsyntax-only "$dir/model.c"
        try "$file: model.h as C99" gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -I "$dir" -fsyntax-only "$dir/alone.c"
        try "$file: model.h as C++17" g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I "$dir" -x c++ -fsyntax-only "$dir/alone.c"
    }
    joined $n "$file"
done
for all in "$dir"/headers.*.cu; do
    [ -n "$nvcc" ] && try "model.cu of all of them" "$nvcc" -Xcicc -O1 -Xptxas -O0 -Werror all-warnings -gencode arch=compute_90a,code=sm_90a -c -o "$dir/o" "$all"
done
finish
