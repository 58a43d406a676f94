#!/bin/bash
# The standard library in the reference interpreter against NumPy: tests/stdlib/run.sh [-v] [MODULE...]
cd "$(dirname "$0")/../.." || exit 1
export TDC=${TDC:-build/tdc} PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3; do
    $python -c 'import numpy' 2>/dev/null && exec $python tests/stdlib/harness.py "$@"
done
echo "python3 cannot import numpy: install python3-numpy"
exit 1
