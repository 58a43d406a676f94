#!/bin/bash
# TDC_RANDOM (16, with TDC_EVERY=1 40) random programs of seed TDC_SEED (1) on the stand-in, each under TDC_SCHEDULES (2) schedules: 0 is the one that tdc chooses,
# 3 the fallback, the others are random.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
quick_compilers
few=16
[ "${TDC_EVERY:-}" = 1 ] && few=40
TDC_HOME=$PWD "${B:-build}/random" --seed "${TDC_SEED:-1}" --count "${TDC_RANDOM:-$few}" --schedules "${TDC_SCHEDULES:-2}" "$@"
