#!/bin/bash
# The C interface on the stand-in, or with TARGET=--gpu on the GPUs of this machine: each program X.c with the model that X.td is
# compiled to.
#   debug_checks   --debug-checks; without the option no emitted file knows of it
#   threads        many threads on one context; a captured graph
#   products       the same with the library's products, and what is refused; two devices where there are two
#   choices        program texts whose launches depend on sizes: every way from one context, its workspace, a captured graph
cd "$(dirname "$0")/../.." || exit 1
TDC=${TDC:-build/tdc} emu=backend_cuda/emu here=tests/host
. tests/suite.sh
[ "${TARGET:-}" = --gpu ] || quick_compilers
on_stand_in() { # PROGRAM MODEL...
    local name=$1 model objects=()
    shift
    for model; do
        g++ -std=c++17 -O0 -w -I $emu -x c++ -c -o "$dir/$model.kernels.o" "$dir/$model.cu" &&
            gcc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -isystem $emu -I "$dir" -c -o "$dir/$model.host.o" "$dir/$model.c" || return
        objects+=("$dir/$model.kernels.o" "$dir/$model.host.o")
    done
    gcc -std=c11 -O1 -Wall -Wextra -Werror -isystem $emu -I "$dir" -c -o "$dir/main.o" $here/$name.c &&
        g++ -pthread -o "$dir/$name" "$dir/main.o" "${objects[@]}" "$dir/runtime.o"
}
on_gpu() { # PROGRAM MODEL...
    local name=$1 model files=()
    shift
    for model; do files+=("$dir/$model.cu" "$dir/$model.c"); done
    "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" -O2 -std=c++17 -gencode arch=compute_90a,code=sm_90a -I "$dir" -o "$dir/$name" \
        "${files[@]}" $here/$name.c -lcublasLt
}
run_models() { # PROGRAM MODEL...: models that are compiled already
    local build=on_stand_in
    [ "${TARGET:-}" = --gpu ] && build=on_gpu
    $build "$@" && "$dir/$1" >"$dir/log"
    counted $? "$dir/log"
    rm -f "$dir/log"
}
run() { # PROGRAM OPTION...
    local name=$1
    shift
    "$TDC" $here/$name.td "$@" -o "$dir/$name.cu" && run_models $name $name
}
if [ "${TARGET:-}" != --gpu ]; then
    stand_in_object "$dir/runtime.o" || exit 1
    "$TDC" $here/debug_checks.td -o "$dir/plain.cu" || exit 1
    grep -il assumption "$dir/plain.cu" "$dir/plain.c" && { echo "FAILED: tests in a compilation without --debug-checks"; exit 1; }
    "$TDC" check $here/debug_checks.td --emu --debug-checks || failed=1
    "$TDC" check $here/choices_assumed.td --kernels $here/choices_assumed.kernel --emu --debug-checks || failed=1
fi
run debug_checks --debug-checks
run threads
run products
"$TDC" tests/kernels/choose_sums.kernel --prefix=sums -o "$dir/sums.cu" &&
    "$TDC" tests/kernels/choose_product.kernel --prefix=calls -o "$dir/calls.cu" && run_models choices sums calls
finish
