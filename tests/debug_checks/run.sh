#!/bin/bash
# --debug-checks on the stand-in: see main.c. Without the option no emitted file knows of it, and with it the file's checks pass.
cd "$(dirname "$0")/../.." || exit 1
TDC=${TDC:-build/tdc} emu=backend_cuda/emu
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
here=tests/debug_checks
"$TDC" $here/model.td -o "$dir/model.cu" || exit 1
grep -i assumption "$dir/model.cu" "$dir/model.c" && { echo "FAILED: tests in a compilation without --debug-checks"; exit 1; }
"$TDC" check $here/model.td --emu --debug-checks || exit 1
"$TDC" $here/model.td --debug-checks -o "$dir/model.cu" &&
    g++ -std=c++17 -O1 -w -I $emu -x c++ -c -o "$dir/kernels.o" "$dir/model.cu" &&
    g++ -std=c++17 -O1 -I $emu -c -o "$dir/runtime.o" $emu/runtime.cpp &&
    gcc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -isystem $emu -I "$dir" -c -o "$dir/host.o" "$dir/model.c" &&
    gcc -std=c99 -O1 -Wall -Wextra -Werror -isystem $emu -I "$dir" -c -o "$dir/main.o" $here/main.c &&
    g++ -o "$dir/main" "$dir/main.o" "$dir/host.o" "$dir/kernels.o" "$dir/runtime.o" && "$dir/main"
