#!/bin/bash
# The C interface on the stand-in, or with TARGET=--gpu on the GPUs of this machine: each program X.c with the model that X.td is
# compiled to.
#   debug_checks   --debug-checks; without the option no emitted file knows of it
#   threads        many threads on one context; a captured graph
#   products       the same with the library's products, and what is refused; two devices where there are two
cd "$(dirname "$0")/../.." || exit 1
TDC=${TDC:-build/tdc} emu=backend_cuda/emu here=tests/host
. tests/suite.sh
on_stand_in() { # PROGRAM
    g++ -std=c++17 -O0 -w -I $emu -x c++ -c -o "$dir/kernels.o" "$dir/$1.cu" &&
        gcc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -isystem $emu -I "$dir" -c -o "$dir/host.o" "$dir/$1.c" &&
        gcc -std=c11 -O1 -Wall -Wextra -Werror -isystem $emu -I "$dir" -c -o "$dir/main.o" $here/$1.c &&
        g++ -pthread -o "$dir/$1" "$dir/main.o" "$dir/host.o" "$dir/kernels.o" "$dir/runtime.o"
}
on_gpu() {
    "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" -O2 -std=c++17 -gencode arch=compute_90a,code=sm_90a -I "$dir" -o "$dir/$1" \
        "$dir/$1.cu" "$dir/$1.c" $here/$1.c -lcublasLt
}
run() { # PROGRAM OPTION...
    local name=$1 build=on_stand_in
    [ "${TARGET:-}" = --gpu ] && build=on_gpu
    shift
    "$TDC" $here/$name.td "$@" -o "$dir/$name.cu" && $build $name && "$dir/$name" >"$dir/log"
    counted $? "$dir/log"
    rm -f "$dir/log"
}
if [ "${TARGET:-}" != --gpu ]; then
    stand_in_object "$dir/runtime.o" || exit 1
    "$TDC" $here/debug_checks.td -o "$dir/plain.cu" || exit 1
    grep -il assumption "$dir/plain.cu" "$dir/plain.c" && { echo "FAILED: tests in a compilation without --debug-checks"; exit 1; }
    "$TDC" check $here/debug_checks.td --emu --debug-checks || failed=1
fi
run debug_checks --debug-checks
run threads
run products
finish
