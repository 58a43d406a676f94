#!/bin/bash
# The error of every function against its bound (ulp.c): on the stand-in, or with TARGET=--gpu on the GPU of this machine,
# where -v lists the largest errors.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
emu=backend_cuda/emu flags='-std=gnu99 -O2 -Wall -Wextra -I.'
${CC:-gcc} $flags tests/ulp/ulp.c -o "$dir/kernels" -lm 2>"$dir/log" && "$dir/kernels" >"$dir/ulp.kernel" || { cat "$dir/log"; exit 1; }
"${TDC:-build/tdc}" "$dir/ulp.kernel" -o "$dir/ulp.cu" || exit 1
if [ "$TARGET" = --gpu ]; then
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    "$nvcc" -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a -c -o "$dir/model.o" "$dir/ulp.cu" &&
        "$nvcc" -O2 -c -o "$dir/glue.o" "$dir/ulp.c" &&
        "$nvcc" -O2 -Xcompiler -std=gnu99 -DULP_MODEL -I. -c -o "$dir/main.o" tests/ulp/ulp.c &&
        "$nvcc" -o "$dir/ulp" "$dir"/*.o -lm && "$dir/ulp" -v
    exit
fi
${CXX:-g++} -std=c++17 -O1 -w -ffp-contract=off -I $emu -x c++ -c "$dir/ulp.cu" -o "$dir/model.o" &
stand_in_object "$dir/runtime.o" &&
    ${CC:-gcc} -std=c99 -O1 -w -I $emu -c "$dir/ulp.c" -o "$dir/glue.o" &&
    ${CC:-gcc} $flags -DULP_MODEL -I $emu -c tests/ulp/ulp.c -o "$dir/main.o" && wait %1 &&
    ${CXX:-g++} -o "$dir/ulp" "$dir"/*.o -pthread -lm && "$dir/ulp" $ULP
