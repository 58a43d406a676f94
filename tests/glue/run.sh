#!/bin/bash
# The host glue without CUDA: each program beside the model that it is made for, with the counting runtime.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
san="-g -fsanitize=address,undefined -fno-sanitize-recover=undefined"
run() { # PROGRAM MODEL
    # shellcheck disable=SC2086 # san is a list of words
    "${TDC:-build/tdc}" tests/glue/$2.kernel -o "$dir/$2.cu" &&
        gcc -std=c99 $san -Wall -Wextra -Wpedantic -Wshadow -Werror -c -I "$dir" -isystem tests/glue/cuda -o "$dir/$2.o" "$dir/$2.c" &&
        gcc -std=c11 $san -Wall -Wextra -Werror -I "$dir" -isystem tests/glue/cuda -o "$dir/$1" tests/glue/$1.c "$dir/$2.o" &&
        "$dir/$1" >"$dir/log"
    counted $? "$dir/log"
}
run refusals model
run invoke mix
run in_place in_place
finish
