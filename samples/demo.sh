#!/bin/sh
# Compiles a sample, builds it with nvcc where there is one, runs it on a GPU where there is one and on the CPU stand-in
# otherwise, and compares with the reference. Run by `make demo`.
set -e
cd "$(dirname "$0")/.."
tdc=${TDC:-build/tdc}
out=build/samples
mkdir -p $out
echo "\$ tdc samples/softmax.td -o $out/softmax.cu"
$tdc samples/softmax.td -o $out/softmax.cu
wc -l $out/softmax.cu $out/softmax.c $out/softmax.h | sed '$d'

nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; } || true)
if [ -n "$nvcc" ]; then
    make -s -C samples TDC=../$tdc NVCC="$nvcc" ../$out/softmax
    echo "built with $("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/nvcc \1/p'): $out/softmax"
else
    echo "no nvcc here: built for the CPU stand-in alone"
fi
if [ -n "$nvcc" ] && [ -e /dev/nvidiactl ]; then
    $out/softmax
fi
$tdc check samples/softmax.td
