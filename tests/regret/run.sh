#!/bin/bash
# Regret: how much slower than the best that was measured are the kernels that the judge of kernels would take, and those
# that the cost of schedules would, over the corpus of bench/corpus? By family the medians and the judge's 90th percentile
# may not get worse than figures.txt says (UPDATE=1 TDC_EVERY=1 keeps today's). Of a family of whose kernels more than a fifth are
# emitted otherwise than when they were measured, that is only said: its times are those of other kernels.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
corpus=${B:-build}/corpus kept=tests/regret/figures.txt
[ -x "$corpus" ] || make -s corpus || exit 1
# Those whose times are of other kernels by now say nothing: with TDC_EVERY=1 they are replayed, too.
fresh=(bench/corpus/{columns,maps,relayouts,rows,scans,unsaid}.tsv)
[ "${TDC_EVERY:-}" = 1 ] && fresh=(bench/corpus/*.tsv)
TDC_HOME=. "$corpus" replay --every "${fresh[@]}" >"$dir/now"
verdict $? 'the corpus is replayed'
[ "${TDC_EVERY:-}" = 1 ] || sed -i '/^all /d' "$dir/now"
cat "$dir/now"
# Family, cases; in per cent the judge's median and 90th percentile, the cost's median.
awk '{ print $1, $2, $6, $10, $20 }' "$dir/now" >"$dir/figures"
stale=$(awk '$(NF - 4) * 5 > $(NF - 2) { printf " %s", $1 }' "$dir/now")
[ -z "$stale" ] || echo "stale, to be measured again (bench/corpus/README.md):$stale"
if [ "${UPDATE:-0}" = 1 ] && [ "${TDC_EVERY:-}" = 1 ]; then cp "$dir/figures" $kept; fi
# A tie that is broken otherwise moves a quantile by a little.
no_worse() {
    awk -v a="$3" -v b="$4" 'BEGIN { exit !(b != "" && a <= b * 1.02 + 0.5) }'
    verdict $? "$1: $2 of regret is $3 %, it was $4 %"
}
while read -r family cases median high cost; do
    case " $stale " in *" $family "*) continue ;; esac
    read -r _ _ old_median old_high old_cost < <(grep "^$family " $kept)
    no_worse "$family, $cases cases" 'the median' "$median" "$old_median"
    no_worse "$family, $cases cases" 'the 90th percentile' "$high" "$old_high"
    no_worse "$family, $cases cases" "the median of the cost's" "$cost" "$old_cost"
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
