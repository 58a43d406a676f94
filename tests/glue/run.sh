#!/bin/bash
# The host glue without CUDA: each program beside the model that it is made for, with the counting runtime.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
san="-g -fsanitize=address,undefined -fno-sanitize-recover=undefined"
run() { # PROGRAM MODEL TARGETS ARGUMENT...
    # shellcheck disable=SC2086 # san is a list of words
    "${TDC:-build/tdc}" tests/glue/$2.kernel "--target=${3:-sm_90a}" -o "$dir/$2.cu" &&
        gcc -std=c99 $san -Wall -Wextra -Wpedantic -Wshadow -Werror -c -I "$dir" -isystem tests/glue/cuda -o "$dir/$2.o" "$dir/$2.c" &&
        gcc -std=c11 $san -Wall -Wextra -Werror -I "$dir" -isystem tests/glue/cuda -o "$dir/$1" tests/glue/$1.c "$dir/$2.o" &&
        "$dir/$1" "${@:4}" >"$dir/log"
    counted $? "$dir/log"
}
run refusals model
run invoke mix
run in_place in_place
# exact targets before those that PTX brings to later devices; kernels start early on the former alone
expected='rows: device 0: expected compute capability'
run targets model sm_80 80=pq0ab 86=pq0ab 90=pq0ab 121=pq0ab "75=$expected 8.0 or later (sm_80), got 7.5"
run targets model sm_86,sm_90a,sm_80 80=pq0ab 89=pq0ab 90=pq0a+b 100=pq0ab \
    "70=$expected 8.6 or later (sm_86), 9.0 (sm_90a) or 8.0 or later (sm_80), got 7.0"
run targets model sm_120a,sm_90a 90=pq0a+b 120=pq0a+b "121=$expected 12.0 (sm_120a) or 9.0 (sm_90a), got 12.1" \
    "80=$expected 12.0 (sm_120a) or 9.0 (sm_90a), got 8.0"
finish
