#!/bin/bash
# The host glue without CUDA: see refusals.c.
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"${TDC:-build/tdc}" tests/glue/model.kernel -o "$dir/model.cu" &&
    gcc -std=c99 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -Wall -Wextra -Wpedantic -Werror -c -I "$dir" -isystem tests/glue/cuda \
        -o "$dir/model.o" "$dir/model.c" &&
    gcc -std=c11 -g -fsanitize=address,undefined -Wall -Wextra -Werror -I "$dir" -isystem tests/glue/cuda -o "$dir/refusals" \
        tests/glue/refusals.c "$dir/model.o" && "$dir/refusals"
