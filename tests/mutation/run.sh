#!/bin/bash
# The part of the mutation run that `make check` has time for: a kernel of each way to wait, and with TDC_EVERY=1 one of
# many loads. From the project's folder:
#   tests/mutation/run.sh [KERNEL...]     `make mutation` runs all kernels
cd "$(dirname "$0")/../.." || exit 1
if [ $# = 0 ]; then
    set -- bulk_rows bulk_tiles cluster_loop relayout_tiles atomic_rows atomic_sums last_block
    [ "${TDC_EVERY:-}" != 1 ] || set -- "$@" layernorm_bwd
fi
. tests/suite.sh
keep_stand_in
# A cache of its own: its stand-in is another compiler's, and tests/cache looks for the newest of the usual one's.
TDC_CACHE=$TDC_CACHE-mutation python3 tests/mutation/mutation.py "$@"
