#!/bin/sh
# Compiles a sample, builds it and runs it: on the GPU where there are nvcc and one, else on the CPU stand-in. Then its checks.
# Run by `make demo`.
set -e
cd "$(dirname "$0")"
tdc=${TDC:-build/tdc}
case $tdc in /*) ;; *) tdc=../$tdc ;; esac
[ -e /dev/nvidiactl ] || EMU=../backend_cuda/emu
make --no-print-directory TDC="$tdc" ${EMU:+"EMU=$EMU"} SAMPLES=softmax run
$tdc check softmax.td
