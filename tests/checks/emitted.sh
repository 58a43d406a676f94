#!/bin/bash
# The emitted files under the warnings of gcc and clang: model.c as C99, C11 and C++17, model.h alone as C99 and C++17;
# and model.cu with nvcc where there is one, without most of its optimisations, which take three times as long (every
# sample, matrix products, and every kernel text; without it the stand-in's compiler sees them when they run).
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
for file in samples/*.td bench/products.td tests/frontend/host.td tests/kernels/*.kernel tests/glue/*.kernel; do
    [ -e "$file" ] || continue
    "$TDC" "$file" -o "$dir/model.cu" >"$dir/log" 2>&1 || { verdict 1 "$file does not compile: $(cat "$dir/log")" && continue; }
    echo '#include "model.h"' >"$dir/alone.c"
    # shellcheck disable=SC2086 # strict is a list of words
    {
        try "$file: model.c as C99" gcc -std=c99 $strict -c -o "$dir/o" "$dir/model.c"
        try "$file: model.c as C++17" g++ -std=c++17 $strict -x c++ -c -o "$dir/o" "$dir/model.c"
        [ -n "$clang" ] && try "$file: model.c as C11 by clang" clang -std=c11 $strict -c -o "$dir/o" "$dir/model.c"
        [ -n "$clang" ] && [[ $file == samples/* ]] && try "$file: model.c as C++17 by clang" clang++ -std=c++17 $strict -Wno-deprecated -x c++ -c -o "$dir/o" "$dir/model.c"
        try "$file: model.h as C99" gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -I "$dir" -c -o "$dir/o" "$dir/alone.c"
        try "$file: model.h as C++17" g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I "$dir" -x c++ -c -o "$dir/o" "$dir/alone.c"
    }
    [ -n "$nvcc" ] && try "$file: model.cu" "$nvcc" -Xcicc -O1 -Xptxas -O0 -Werror all-warnings -gencode arch=compute_90a,code=sm_90a -c -o "$dir/o" "$dir/model.cu"
    cat "$dir/model.cu" "$dir/model.c" "$dir/model.h" >"$dir/first"
    try "$file: again" "$TDC" "$file" -o "$dir/model.cu"
    cat "$dir/model.cu" "$dir/model.c" "$dir/model.h" >"$dir/second"
    try "$file: the same bytes" cmp "$dir/first" "$dir/second"
done
finish
