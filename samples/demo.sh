#!/bin/sh
# Compiles a sample, builds it and runs it: on the GPU where there are nvcc and one, else on the CPU stand-in. Then its checks.
# Run by `make demo`.
set -e
cd "$(dirname "$0")"
tdc=${TDC:-build/tdc}
case $tdc in /*) ;; *) tdc=../$tdc ;; esac
if [ -e /dev/nvidiactl ]; then where=GPU; else EMU=../backend_cuda/emu where='CPU stand-in (there is no GPU here)'; fi
make --no-print-directory TDC="$tdc" ${EMU:+"EMU=$EMU"} SAMPLES=softmax run
$tdc check softmax.td
cat <<END

That was samples/softmax.td, compiled to CUDA and called from samples/softmax_main.c on the $where;
then its own checks against the reference interpreter. What you can do next:
  build/tdc explain samples/softmax.td -D M=4096 -D N=4096   what its kernel does, and how long that should take
  make install PREFIX=\$HOME/.local                           the command tdc, its library and its manual page
  README.md, "Write an operator"                             an operator of your own, from C and from PyTorch
  samples/README.md                                          larger programs: a transformer block, AdamW, ...
END
