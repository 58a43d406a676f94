#!/bin/bash
# Random legal schedules of the programs of this folder, all on the stand-in: TDC_SCHEDULES (2, with TDC_EVERY=1 6) of
# each, drawn by TDC_SEED.
# The emitted files are many and run once each, so that they are compiled without optimisation.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
quick_compilers
few=2
[ "${TDC_EVERY:-}" = 1 ] && few=6
TDC_HOME=$PWD "${B:-build}/unit/test_sched" "${TDC_SCHEDULES:-$few}" tests/schedules/*.td tests/schedules/*.graph
