#!/bin/bash
# The C interface on the stand-in: each program X.c with the model that X.td is compiled to.
#   debug_checks   --debug-checks; without the option no emitted file knows of it
#   threads        many threads on one context; a captured graph
cd "$(dirname "$0")/../.." || exit 1
TDC=${TDC:-build/tdc} emu=backend_cuda/emu here=tests/host
. tests/suite.sh
run() { # PROGRAM OPTION...
    local name=$1
    shift
    "$TDC" $here/$name.td "$@" -o "$dir/$name.cu" &&
        g++ -std=c++17 -O0 -w -I $emu -x c++ -c -o "$dir/kernels.o" "$dir/$name.cu" &&
        gcc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -isystem $emu -I "$dir" -c -o "$dir/host.o" "$dir/$name.c" &&
        gcc -std=c11 -O1 -Wall -Wextra -Werror -isystem $emu -I "$dir" -c -o "$dir/main.o" $here/$name.c &&
        g++ -pthread -o "$dir/$name" "$dir/main.o" "$dir/host.o" "$dir/kernels.o" "$dir/runtime.o" && "$dir/$name" >"$dir/log"
    counted $? "$dir/log"
    rm -f "$dir/log"
}
g++ -std=c++17 -O1 -I $emu -c -o "$dir/runtime.o" $emu/runtime.cpp || exit 1
"$TDC" $here/debug_checks.td -o "$dir/plain.cu" || exit 1
grep -il assumption "$dir/plain.cu" "$dir/plain.c" && { echo "FAILED: tests in a compilation without --debug-checks"; exit 1; }
"$TDC" check $here/debug_checks.td --emu --debug-checks || failed=1
run debug_checks --debug-checks
run threads
finish
