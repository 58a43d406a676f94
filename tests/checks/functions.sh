#!/bin/bash
# No function of ours is longer than 80 lines or has more than 7 parameters. Not ours are the signatures of the libraries that the
# stand-in stands for, and that of the launch that it runs in place of a driver's.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
python3 tests/checks/functions.py 80 7 ir sched backend_cuda frontend grammar tests/random tests/unit tests/fuzz <<'EXCEPTIONS'
backend_cuda/emu/rt_library.h cublasLtMatmulAlgoInit parameters
backend_cuda/emu/rt_library.h cublasLtMatmulAlgoCheck parameters
backend_cuda/emu/rt_library.h cublasLtMatmulAlgoGetHeuristic parameters
backend_cuda/emu/rt_library.h cublasLtMatmul parameters
backend_cuda/emu/td_emu.h td_emu_launch_as parameters
# For now: until the stand-in's sum of a product takes its two matrices as two.
EXCEPTIONS
