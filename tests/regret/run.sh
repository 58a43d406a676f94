#!/bin/bash
# Regret: how much slower than the best that was measured are the kernels that the cost of schedules would take, over
# the corpus of bench/corpus? By family the median and the 90th percentile may not get worse than figures.txt says
# (UPDATE=1 keeps today's), and no more than a fifth of the kernels may be emitted otherwise than when they were
# measured.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
corpus=${B:-build}/corpus kept=tests/regret/figures.txt
[ -x "$corpus" ] || make -s corpus || exit 1
TDC_HOME=. "$corpus" replay --every bench/corpus/*.tsv >"$dir/now"
verdict $? 'the corpus is replayed'
cat "$dir/now"
awk '{ all[$1] = $(NF - 2); stale[$1] = $(NF - 4) }
    END { exit !(all["all"] > 0 && stale["all"] * 5 <= all["all"]) }' "$dir/now"
verdict $? 'over a fifth of the corpus is stale: measure it again (bench/corpus/README.md)'
# Family, cases, median, 90th percentile in per cent.
awk '{ print $1, $2, $6, $10 }' "$dir/now" >"$dir/figures"
if [ "${UPDATE:-0}" = 1 ]; then cp "$dir/figures" $kept; fi
while read -r family cases median high; do
    read -r _ _ old_median old_high < <(grep "^$family " $kept)
    # A tie that is broken otherwise moves a quantile by a little.
    awk -v a="$median" -v b="$old_median" 'BEGIN { exit !(b != "" && a <= b * 1.02 + 0.5) }'
    verdict $? "$family, $cases cases: the median of regret is $median %, it was $old_median %"
    awk -v a="$high" -v b="$old_high" 'BEGIN { exit !(b != "" && a <= b * 1.02 + 0.5) }'
    verdict $? "$family, $cases cases: the 90th percentile of regret is $high %, it was $old_high %"
done <"$dir/figures"
# What is measured next can be emitted, and every launch is understood: chosen kernels, others, and some by hand.
TDC_HOME=. "$corpus" emit 1 3 "$dir/head.cuh" rows=bench/suite/layernorm.td columns=bench/suite/column_sum.td >"$dir/emitted"
python3 bench/corpus/make.py plan "$dir/emitted" "$dir/head.cuh" "$dir/plan" >"$dir/said" 2>&1
verdict $? 'a plan is made'
same 'what is emitted' "$(cat "$dir/said"; awk '/^k/ { n[$3]++ } END { print n["chosen"], n["hand"] }' "$dir/plan/plan.txt")" '8 kernels in 1 files
2 2'
grep -q '^template __global__ void k_layernorm_y<1>' "$dir/plan/0.cu"
verdict $? 'one instance of a kernel is made'
finish
