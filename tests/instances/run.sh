#!/bin/bash
# What nvcc has to compile of the suite's programs where nothing is said of lengths: instances of kernels, which are counted,
# since seconds differ from machine to machine. All programs together have at most ALL, every second one at most HALF, which
# is what is compiled without TDC_EVERY=1; none more than MOST. Where there
# is an nvcc, it takes at most so many times as long for some of them as for a file of one plain kernel; noise only adds, so
# that what takes longer is measured again, three times at most. With TDC_EVERY=1 that is asked of all programs, and that
# no kernel has local memory but those of `spilling`, a list that only gets shorter.
cd "$(dirname "$0")/../.." || exit 1
TDC=$(realpath "${TDC:-${B:-build}/tdc}")
. tests/suite.sh
ALL=1510 HALF=660 MOST=70 # instances; 1498, 644 and 62 when this was written: each kernel of a program has versions of its own
SOME=5 EVERY=16      # times the plain kernel's processor time
spilling='add_rmsnorm argmax_rows copied_rows cross_entropy_fwd_bwd cumsum_rows embedding_bwd embedding_bwd_fast groupnorm_nhwc_silu
layernorm layernorm_bwd mask_softmax rmsnorm_bwd scatter_rows scatter_rows_fast segment_mean segment_mean_fast softmax_128k softmax_1k
softmax_32k softmax_4k sort_1e7 sort_rows topk_64 topk_8 touched_rows_fast'
some=transpose_2d
nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; })

compiled() { # FILE LOG: milliseconds of processors
    local TIMEFORMAT='%U %S' t
    t=$({ time "$nvcc" -O3 -gencode arch=compute_90a,code=sm_90a -Xptxas -v -c -o "$dir/o" "$1" >"$2" 2>&1; } 2>&1) || { cat "$2" >&2; echo 999999; return; }
    awk '{ printf "%d\n", 1000 * ($1 + $2) }' <<<"$t"
}
times() { # FILE LOG LIMIT: how many times as long as the plain kernel takes, the least of three
    local least=999999 t p
    for _ in 1 2 3; do
        p=$(compiled "$dir/plain.cu" "$dir/log") t=$(compiled "$1" "$2")
        t=$((t / (p + 1)))
        [ $t -lt $least ] && least=$t
        [ $least -le "$3" ] && break
    done
    echo "$least"
}

echo '__global__ void plain(float *p) { p[threadIdx.x] = 1; }' >"$dir/plain.cu"
all=0 seen=
for f in bench/suite/*.td; do
    name=$(basename "$f" .td)
    sed -E '/^(bench|check|dim [A-Za-z_0-9]+ hint) [^;]*;/d' "$f" >"$dir/bare.td"
    text=$(sed "s/$name/entry/g" "$dir/bare.td" | sha256sum)
    [[ $seen == *"$text"* ]] && continue # programs that differ in lengths alone
    seen+=$text
    turn 2 || continue
    "$TDC" "$dir/bare.td" -I bench/suite -Wno-perf -o "$dir/$name.cu" >"$dir/log" 2>&1
    verdict $? "$name: $(cat "$dir/log")"
    n=$(sed -n '/^static void (\*const .*_of\[\])/,/^};/p' "$dir/$name.cu" | sed '1d;/^};/d' | grep -oE '[a-z_0-9]+(<[^>]*>)?,( |$)' | wc -l)
    [ "$n" -le $MOST ]
    verdict $? "$name: $n instances of kernels, more than $MOST"
    all=$((all + n))
    [ -n "$nvcc" ] || continue
    limit=0
    [[ " $some " == *" $name "* ]] && limit=$SOME
    [ -n "${TDC_EVERY:-}" ] && [ $limit = 0 ] && limit=$EVERY
    [ $limit = 0 ] && continue
    t=$(times "$dir/$name.cu" "$dir/said" $limit)
    [ "$t" -le $limit ]
    verdict $? "$name: nvcc takes $t times as long as for a plain kernel, more than $limit"
    local=$(grep -oE '[0-9]+ bytes (stack frame|spill [a-z]+)' "$dir/said" | awk '{ n += $1 } END { print n + 0 }')
    [ "$local" = 0 ] || [[ " ${spilling//$'\n'/ } " == *" $name "* ]]
    verdict $? "$name: $local bytes of local memory"
done
[ "${TDC_EVERY:-}" = 1 ] || ALL=$HALF
[ "$all" -le "$ALL" ]
verdict $? "$all instances of kernels, more than $ALL"
[ -n "$nvcc" ] || echo "no nvcc here: how long it takes is not tested"
finish
