#!/bin/bash
# Every exported symbol begins with its module's name: a word of its file's name, or a notion that names.txt gives its folder.
# From the symbols of the objects that are linked into tdc.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
python3 tests/checks/names.py "${B:-build}" tests/checks/names.txt
