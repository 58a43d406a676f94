#!/bin/bash
# The Python package on the CPU stand-in (see test_tdlang.py); JAX and PyTorch take part where they can be imported.
cd "$(dirname "$0")/../.." || exit 1
export TDC=${TDC:-build/tdc} TDC_CACHE=$(realpath -m "${B:-build}")/cache PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3; do
    $python -c 'import numpy' 2>/dev/null && exec $python tests/python/test_tdlang.py "$@"
done
echo "python3 cannot import numpy: install python3-numpy"
exit 1
