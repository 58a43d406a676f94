#!/bin/bash
# Programs at each dimension's 0 and 1 (sizes.py). Arguments: the td files, those of tests/numeric with ALL=1; by default
# a few, as each costs seconds.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
quick_compilers
files=("$@")
[ $# -gt 0 ] || files=(tests/numeric/longrow.td tests/numeric/small.td)
[ -z "${ALL:-}" ] || files=(tests/numeric/*.td)
python3 tests/sizes/sizes.py "${TDC:-build/tdc}" "${TARGET:---emu}" "${files[@]}"
