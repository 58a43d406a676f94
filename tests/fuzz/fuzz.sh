#!/bin/bash
# Usage: tests/fuzz/fuzz.sh TARGET SECONDS [PROCESSES]   Runs build/fuzz/fuzz_TARGET (make fuzz); tests/fuzz/README.md.
set -eu
cd "$(dirname "$0")/../.."
target=$1 seconds=$2 processes=${3:-1} out=${OUT:-build/fuzz}
mkdir -p "$out/corpus/$target" "$out/found/$target" "$out/seeds/$target"
case $target in
    front) seeds=(tests/*/*.td samples/*.td stdlib/*.td) ;;
    graph) seeds=(tests/*/*.graph tests/*/*.simple) ;;
    tuning) seeds=(tests/fuzz/corpus/tuning/*) ;;
    kernel) seeds=(tests/*/*.kernel tests/*/*.kernels) ;;
    *) echo "no target $target" >&2; exit 2 ;;
esac
for f in "${seeds[@]}"; do [ -e "$f" ] && cp "$f" "$out/seeds/$target/${f//\//_}"; done
status=0
build/fuzz/fuzz_"$target" -fork="$processes" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
    -artifact_prefix="$out/found/$target/" -dict=tests/fuzz/td.dict \
    "$out/corpus/$target" "$out/seeds/$target" "tests/fuzz/corpus/$target" >"$out/$target.log" 2>&1 || status=$?
tail -n 2 "$out/$target.log"
found=$(find "$out/found/$target" -type f ! -name 'slow-unit-*' | wc -l)
echo "$target: $found findings"
[ "$status" = 0 ] && [ "$found" = 0 ]
