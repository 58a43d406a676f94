#!/bin/bash
# The manifest of many models: valid JSON that agrees with model.h. See manifest.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/manifest/manifest.py samples/*.td tests/golden/interface.td tests/golden/fixed.td \
    tests/frontend/host.td tests/glue/*.kernel tests/kernels/choose_*.kernel tests/manifest/*.td
