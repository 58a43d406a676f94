#!/bin/bash
# Versions by size: of every class of kernels several are taken, each is right, and who says a length has one. Of what is
# run the checks of classes.td and of the second half of plain.td, of what is predicted every sixth size; with
# TDC_EVERY=1 all.
cd "$(dirname "$0")/../.." || exit 1
TDC=$(realpath "${TDC:-build/tdc}") here=tests/versions
. tests/suite.sh
quick_compilers

for file in classes short limits plain; do
    turn 3 || continue
    program=$here/$file.td
    [ $file = plain ] && [ "${TDC_EVERY:-}" != 1 ] && program=$dir/half.td && sed -n '/^export fn walked/,$p' $here/plain.td >"$program"
    "$TDC" check "$program" --emu >"$dir/log" 2>&1
    verdict $? "$(grep -v '^ok' "$dir/log")"
done
# Blocks have the same shares of a scan, whatever the schedules of their kernels are.
"$TDC" check $here/scans.td --schedules=$here/scans.schedules --emu >"$dir/log" 2>&1
verdict $? "$(grep -v '^ok' "$dir/log")"
# No branch keeps the batches of a load apart, and what takes instructions of an address is made before its test.
"$TDC" check $here/batches.td --schedules=$here/batches.schedules --emu >"$dir/log" 2>&1
verdict $? "$(grep -v '^ok' "$dir/log")"
"$TDC" $here/batches.td --schedules=$here/batches.schedules -Wno-perf -o "$dir/batches.cu"
grep -A1 'x_here.* = td_moved(' "$dir/batches.cu" | grep -q 'if ((j < W) & (((.* & '
verdict $? 'a batch of loads has a branch of its own'
# Of axes that are short, neighbouring threads go on along the next one: what is predicted is near a copy of the bytes.
while read -r entry sizes; do
    # shellcheck disable=SC2086
    "$TDC" explain $here/short.td "$entry" $sizes >"$dir/log"
    awk '$2 == "times" && $1 > 2 { far = 1 } / us, and|^[0-9.]+ us/ { said = 1 } END { exit far || !said }' "$dir/log"
    verdict $? "$entry: $(grep ' = ' "$dir/log")"
done <<'END'
group_moments -D N=16 -D H=32 -D W=32 -D K=20
instance_moments -D N=64 -D H=64 -D W=64 -D C=48
pooled -D N=256 -D H=56 -D W=56 -D C=96
middle -D B=8192 -D M=64 -D D=20
last -D B=1024 -D S=1024 -D H=3 -D D=10
padded --at=M=4096 --at=N=8192
padded --at=M=1000000 --at=N=50
padded_softmax --at=B=2 --at=H=8 --at=M=1024 --at=N=1024
padded_softmax --at=B=64 --at=H=12 --at=M=128 --at=N=128
END

# Programs as users write them, at most so many times a copy of their bytes.
while read -r entry most sizes; do
    turn 6 || continue
    # shellcheck disable=SC2086
    "$TDC" explain $here/plain.td "$entry" -Wno-perf $sizes >"$dir/log"
    awk -v most="$most" '$2 == "times" && $1 > most { far = 1 } / us, and|^[0-9.]+ us/ { said = 1 } END { exit far || !said }' "$dir/log"
    verdict $? "$entry, at most $most times a copy: $(grep -E ' = |times' "$dir/log")"
done <<'END'
tanh_gradients 4 -DM=16384 -DN=1155
tanh_gradients 9 --at=M=16384 --at=N=1155
dice 18 --at=N=8 --at=C=19 --at=H=512 --at=W=512
sweep 1.8 -DD=200 -DH=240 -DW=250
planes_normed 1.4 -DN=8 -DC=64 -DH=250 -DW=250
planes_normed 3 --at=N=8 --at=C=64 --at=H=250 --at=W=250
variation 20 --at=N=32 --at=C=3 --at=H=360 --at=W=481
decayed 2.5 --at=B=4 --at=H=8 --at=L=1000
four_bits 1.3 -DG=32 -DN=5504
lse_of_two 2 --at=A=8 --at=B=16 --at=C=33 --at=D=64 --at=E=100
largest_neighbour 9 --at=V=200003 --at=D=96 --at=E=2000000
pooled_back 25 --at=N=32 --at=C=64 --at=P=56 --at=Q=56
warped 2 -DN=8 -DC=32 -DH=256 -DW=256
warped 2 --at=N=8 --at=C=32 --at=H=256 --at=W=256
products_of_six 4 --at=M=3000001
products_of_six 4 --at=M=16777216
farthest 1.7 --at=N=5003
farthest 1.7 --at=N=4096
earlier 6 -DT=1048576 -DE=32
gated_taps 4 -DN=16 -DL=1500 -DC=512
gated_taps 4 --at=N=16 --at=L=1500 --at=C=512
gated_pairs 1.3 -DN=16 -DL=1500 -DC=512
END
sed -n '/^export fn masked/,/^}/p' $here/plain.td >"$dir/plain.td"
"$TDC" "$dir/plain.td" -DB=8 -DS=2048 -o "$dir/plain.cu" -Wno-perf
same 'a mask: no branch, no rounding twice' "$(sed -n '/^__global__.*masked/,/^}/p' "$dir/plain.cu" | grep 'doc0' | grep -cE '&&|[|][|]|td_round')" 0
grep '^export fn walked' $here/plain.td >"$dir/walked.td"
printf 'program walked\n  y: t = warp(8) reg(32); p = grid lane(32); occupancy 4\n' >"$dir/walked.txt"
"$TDC" "$dir/walked.td" -DT=252 --schedules="$dir/walked.txt" -o "$dir/walked.cu" -Wno-perf
same 'a scan with room: few tests' "$(sed -n '/^__global__.*walked_y(/,/^}/p' "$dir/walked.cu" | grep -c 't_reg < 28 ||')" 3

# Rows of which lengths say how much is data are likely half full: not as short as all of them together are one row.
cat >"$dir/padded.schedules" <<'END'
program padded
  y: i = grid thread(4); j = serial reg(1) thread(64)
END
"$TDC" explain $here/short.td padded --at=M=4096 --at=N=8192 --schedules="$dir/padded.schedules" >"$dir/log" 2>&1
awk '$2 == "times" && $1 > 1.2 { slow = 1 } END { exit !slow }' "$dir/log"
verdict $? "$(cat "$dir/log")"

# A range's least beginning is a number, whatever type the range has: lengths that are not said are those of others.
same 'a range from 0' "$("$TDC" $here/short.td --dump=plan --stop-after=plan | grep -cE 'axis j in 0\.\.N guess 0|in i64')" 0

taken() { # ENTRY SIZES...: how many ways the sizes take
    local entry=$1 at
    shift
    for at; do "$TDC" explain $here/classes.td "$entry" --at "$at" | sed -n 's/^ *way \([0-9]*\) of .*taken here.*/\1/p'; done | sort -u | wc -l
}
several() {
    local n
    n=$(taken "$@")
    [ "$n" -ge 2 ]
    verdict $? "$1: $n way at $*"
}
several row M=65536,N=64 M=65536,N=1000 M=8192,N=4096 M=1024,N=131072
several column M=3,N=4096 M=1000,N=64 M=131072,N=4096
several relayout M=16384,N=16384 M=100,N=100000 M=100000,N=2
several prefix M=65536,N=20 M=8192,N=1000 M=64,N=100000
several whole N=100 N=10000 N=100000000

# A row that is long for one block is shared by those of a cluster, where all targets have clusters.
row_128k() { "$TDC" $here/classes.td -D M=1024 -D N=131072 --dump=choose --stop-after=choose "$@" | sed '/^program row/,/^program/!d; /^  else/,$d' | grep -c 'cluster('; }
same 'clusters' "$(row_128k)" 1
same 'clusters on a target without' "$(row_128k --target=sm_90a,sm_80)" 0
by_size() { "$TDC" $here/classes.td "$@" --dump=choose --stop-after=choose | grep -E '^  when' | grep -vc 'when aligned()'; }
same 'of known lengths there is one, at aligned addresses' "$(by_size -D M=4096 -D N=4096)" 0
# The last version has no condition, and no version is for sizes that come to one before it.
"$TDC" $here/classes.td --dump=choose --stop-after=choose >"$dir/chosen"
same 'the last case' "$(awk '/^program/ { if (open) print "open"; open = 0 } /^  when/ { open = 1 } /^  else/ { open = 0 }' "$dir/chosen")" ''

# Planes are one axis for a fold, but not where elements beside it are read once for both.
same 'a gradient of a broadcast' "$("$TDC" explain tests/numeric/planes.td broadcast --at=B=64,S=1024,D=4096 | sed -nE '1s/.*: ([0-9]+) launch.*/\1/p')" 1
same 'planes' "$("$TDC" tests/numeric/planes.td --dump=plan --stop-after=plan | sed -n '/^plan planes/,/^plan normed/p' | grep -oE 'axis n[a-z]* in .* merged' | sort -u)" \
    'axis np in 0..N * P guess 1048576 folded merged'
# Kernels that stand beside each other become parts of one launch, those of one form with one text.
launches() { "$TDC" explain "$@" | sed -nE '1s/.*: ([0-9]+) launch.*/\1/p'; }
bench=(-I stdlib --library=none)
same 'a token beside rows' "$(launches bench/wide/class_token.td class_token "${bench[@]}" -DB=128 -DS=196 -DD=768)" 1
sed '1i dim B hint 128; dim S hint 196; dim D hint 768;' bench/wide/class_token.td >"$dir/token.td"
same 'hinted' "$(launches "$dir/token.td" class_token)" 1
same 'by themselves' "$(launches "$dir/token.td" class_token --without=parts)" 2
same 'a step of a cache' "$(launches bench/suite/concat_kv.td concat_kv -DB=16 -DH=40 -DS=2047 -DT=1 -DD=128)" 1
same 'nine parameters' "$(launches bench/suite/adamw_multi.td adamw_multi "${bench[@]}" -DD=4096 -DF=11008)" 1
{
    echo 'import "optim";'
    echo 'export fn forty('
    for ((i = 0; i < 40; i++)); do echo "    inout p$i: f32[N$i], g$i: f32[N$i], inout m$i: f32[N$i], inout v$i: f32[N$i],"; done
    echo '    step: i64) {'
    for ((i = 0; i < 40; i++)); do echo "    adamw(p$i, m$i, v$i, g$i, step);"; done
    echo '}'
} >"$dir/forty.td"
forty=() # lengths of which some are 0, 1 and odd
for ((i = 0; i < 40; i++)); do forty+=("N$i=$((i * i * i % 1009 / (i % 5 + 1)))"); done
same 'forty parameters' "$(launches "$dir/forty.td" forty -I stdlib "${forty[@]/#/--at=}")" 1
"$TDC" "$dir/forty.td" -I stdlib -o "$dir/forty.cu"
same 'their text' "$(grep -c '__global__' "$dir/forty.cu")" 1
echo "check forty($(printf '%s, ' "${forty[@]/=/ = }")step = 1) with $(printf 'v%d in 0.0..1.0, ' {0..38})v39 in 0.0..1.0;" >>"$dir/forty.td"
"$TDC" check "$dir/forty.td" -I stdlib --emu >"$dir/log" 2>&1
verdict $? "$(tail -n 3 "$dir/log")"
sed 's/\([pgmv]\([0-9]*[13579]\): f32\)\[N[0-9]*\]/\1[N\2, 3]/g' "$dir/forty.td" | grep -v '^check' >"$dir/two.td"
same 'of two ranks, by turns' "$(launches "$dir/two.td" forty -I stdlib "${forty[@]/#/--at=}")" 1
"$TDC" "$dir/two.td" -I stdlib -o "$dir/two.cu"
same 'their texts' "$(grep -c '_args of_[0-9]*\[' "$dir/two.cu")" 2
# Of what takes more arguments than a launch has room for there are several.
{
    echo 'export fn many('
    for ((i = 0; i < 100; i++)); do echo "    a$i: f32[N], b$i: f16[N],"; done
    echo '    rate: f32) -> ('
    for ((i = 0; i < 99; i++)); do echo "    y$i: f32[N],"; done
    echo '    y99: f32[N]) {'
    for ((i = 0; i < 100; i++)); do echo "    y$i[i] = rate * a$i[i] * f32(b$i[i]);"; done
    printf '}\ncheck many(N = 5, rate = 0.5);\n'
} >"$dir/many.td"
if [ "${TDC_EVERY:-}" = 1 ]; then
    "$TDC" check "$dir/many.td" --emu --brief >"$dir/log" 2>&1
    verdict $? "$(tail -n 3 "$dir/log")"
fi
n=$(launches "$dir/many.td" many --at=N=5)
[ "$n" = 2 ]
verdict $? "many: $n launches"

# A hint is what the schedule is for: the way that it takes is the one that the length alone would have.
sed '1i dim M hint 16384; dim N hint 4096;' $here/classes.td >"$dir/hinted.td"
at() { "$TDC" explain "$1" row "${@:2}" | grep ' = grid'; }
same 'a hint' "$(at "$dir/hinted.td" --at M=16384,N=4096)" "$(at $here/classes.td -D M=16384 -D N=4096)"

# Rows in registers have as many warps as they need, which the launch settles: one kernel serves lengths far apart.
TDC_HOME=. "$TDC" tests/kernels/settled.td --kernels tests/kernels/settled.kernel -o "$dir/settled.cu"
same 'threads are settled at launch' "$(grep -c 'td_launch(.*, (int)(.*((N + 127) / 128).* < 10 .*) \* 32, ' "$dir/settled.cu")" 1
same 'and of a known length not' "$(TDC_HOME=. "$TDC" tests/kernels/settled.td -D N=1000 -o - --emit=cu | grep -c 'td_threads() /')" 0
TDC_HOME=. "$TDC" tests/kernels/settled_lanes.td --kernels tests/kernels/settled_lanes.kernel -o "$dir/lanes.cu"
same 'lanes are settled at launch' "$(grep -c 'td_launch(.*, td_lane_blocks(.*, ((N + 1) / 2)), ' "$dir/lanes.cu")" 1
same 'and of a known length not' "$(TDC_HOME=. "$TDC" tests/kernels/settled_lanes.td -D N=24 -o - --emit=cu | grep -c 'td_lane_b')" 0
# The last blocks have warps of up to 31 more than the rows need: an int holds their indices, too.
same 'what an int holds beyond the end' "$(grep -oE '\(double\)B \+ [0-9]+ <= INT32_MAX' "$dir/lanes.cu" | head -n 1)" '(double)B + 97 <= INT32_MAX'
short_of() { "$TDC" explain $here/classes.td row --at "$1" | grep -oE 'i = .*lane\(32\).*'; }
same 'rows of 72 and of 200 elements' "$(short_of M=80000,N=72)" "$(short_of M=80000,N=200)"
way_of() { "$TDC" explain $here/classes.td row --at "$1" | grep -oE 'warp\([0-9]+\) reg\([0-9]+\) lane\(32\).*'; }
same 'rows of 1500 and of 4000 elements' "$(way_of M=8192,N=1504)" "$(way_of M=8192,N=4000)"
# So have those of a cluster's blocks, and a few hundred elements lie in lanes, several registers of each.
sed '/^bench/d' bench/suite/softmax_128k.td >"$dir/long.td"
row_of() { "$TDC" explain "$dir/long.td" --at "$1" -Wno-perf | grep -oE "i1 = $2.*"; }
same 'rows of 65536 and of 131072 elements' "$(row_of M=2048,N=65536 'warp.*cluster')" "$(row_of M=1024,N=131072 'warp.*cluster')"
[ -n "$(row_of M=1024,N=131072 'warp.*cluster')" ]
verdict $? 'a row in the registers of a cluster'
same 'rows of 384 and of 512 elements' "$(row_of M=65536,N=384 'reg.4. lane')" "$(row_of M=65536,N=512 'reg.4. lane')"
[ -n "$(row_of M=65536,N=384 'reg.4. lane')" ]
verdict $? 'several registers of a lane'

# Where few blocks would have everything, reductions have kernels of their own, which many blocks share: for sizes at which
# that is so, and not beside them. A program that is compiled for all sizes is no ten times slower than for one.
cat >"$dir/few.td" <<'END'
export fn clip(g: f32[N]) -> (y: f32[N], norm: f32[]) {
    let r = sqrt(sum[i](g[i] * g[i]));
    norm[] = r;
    y[i] = g[i] / max(1, r);
}
export fn soft(x: f32[M, N]) -> (y: f32[M, N]) {
    let m[i] = max[j](x[i, j]);
    let z[i] = sum[j](exp(x[i, j] - m[i]));
    y[i, j] = exp(x[i, j] - m[i]) / z[i];
}
export fn channels(x: f32[N, H, C]) -> (y: f32[N, H, C]) {
    let mu[c] = mean[n, h](x[n, h, c]);
    let va[c] = mean[n, h]((x[n, h, c] - mu[c]) ** 2);
    y[n, h, c] = (x[n, h, c] - mu[c]) * rsqrt(va[c] + 1e-5);
}
check clip(N = 4099);
check soft(M = 3, N = 1021);
check channels(N = 7, H = 31, C = 5);
export fn planes(x: f16[N, C, H, W]) -> (y: f16[N, H, W, C]) { y[n, i, j, c] = x[n, c, i, j]; }
check planes(N = 3, C = 5, H = 7, W = 2);
check planes(N = 2, C = 33, H = 3, W = 5);
check planes(N = 40, C = 70, H = 1, W = 2);
END
launches() { "$TDC" explain "$@" | sed -n 's/.*: \([0-9]*\) launch.*/\1/p'; }
timed() { "$TDC" explain "$@" | sed -nE 's/^([0-9.]+) us.*/\1/p; s/.*: ([0-9]+) launch.*/\1/p' | paste -sd ' '; } # launches, us
time_of() { "$TDC" explain "$@" | sed -n 's/^\([0-9.]*\) us.*/\1/p'; }
while read -r entry few many sizes; do
    # shellcheck disable=SC2086
    fixed=$(sed 's/^/-D/; s/,/ -D/g' <<<"$sizes")
    read -r n all < <(timed "$dir/few.td" "$entry" --at "$sizes")
    same "$entry of few long rows: $sizes" "$n" "$few"
    same "$entry of $many" "$(launches "$dir/few.td" "$entry" --at "$many")" 1
    # shellcheck disable=SC2086
    awk -v all="$all" -v one="$(time_of "$dir/few.td" "$entry" $fixed)" 'BEGIN { exit !(all < 10 * one) }'
    verdict $? "$entry: compiled for all sizes at $sizes"
done <<'END'
clip 3 N=4096 N=67108864
soft 3 M=16384,N=4096 M=1,N=4194304
channels 3 N=4,H=64,C=4096 N=64,H=65536,C=8
END
"$TDC" check "$dir/few.td" --emu >"$dir/log" 2>&1
verdict $? "$(grep -v '^ok' "$dir/log")"
"$TDC" "$dir/few.td" --dump=choose --stop-after=choose >"$dir/few.schedules"
same 'they are read back' "$("$TDC" "$dir/few.td" --dump=choose --stop-after=choose --schedules="$dir/few.schedules")" "$(cat "$dir/few.schedules")"

for maps in nchw_to_nhwc upsample2x upsample2x_bwd; do sed '/^bench/d' "bench/suite/$maps.td" >"$dir/$maps.td"; done
sed '/^bench/d' bench/suite/argmax_rows.td >"$dir/argmax.td"
sed '/^bench/d' bench/wide/edge_softmax.td >"$dir/edges.td"
printf 'import "nn";\nexport fn soft(x: f32[M, N]) -> (y: f32[M, N]) { y = softmax(x); }\n' >"$dir/soft.td"
# Nothing is left that takes long at sizes that are no points, at which one of the versions is good: what is predicted,
# compiled for all sizes, over what is for these alone.
while read -r most file entry sizes; do
    for at in $sizes; do
        turn 6 || continue
        # shellcheck disable=SC2046
        awk -v most="$most" -v all="$(time_of "$file" "$entry" --at "$at")" \
            -v one="$(time_of "$file" "$entry" $(sed 's/^/-D/; s/,/ -D/g' <<<"$at"))" \
            'BEGIN { if (!(all <= most * one)) print all "/" one; exit !(all <= most * one) }' >"$dir/log"
        verdict $? "$entry at $at: $(cat "$dir/log") times, more than $most"
    done
done <<END
3 $here/classes.td row M=5,N=1000003 M=1,N=4194304 M=65537,N=104 M=8000000,N=1 M=262139,N=61
1.6 $here/classes.td column M=1048573,N=7 M=64,N=131072 M=5,N=1000003
1.7 $here/classes.td relayout M=4194301,N=1 M=1000003,N=3 M=5,N=2000003 M=64,N=131072
2 $here/classes.td prefix M=1048573,N=7
2.2 $here/classes.td prefix M=33,N=500009
3.5 $dir/few.td planes N=5,C=33,H=127,W=129 N=64,C=3,H=128,W=128 N=2048,C=512,H=2,W=3
1.5 $dir/nchw_to_nhwc.td nchw_to_nhwc N=1,C=7,H=1021,W=509 N=2048,C=512,H=2,W=2 N=64,C=3,H=128,W=128
1.3 $dir/upsample2x.td upsample2x N=1,C=1,H=1,W=4000037 N=1,C=7,H=1021,W=509 N=31,C=17,H=61,W=67
2 $dir/upsample2x_bwd.td upsample2x_bwd N=2048,C=512,H=2,W=2 N=4,C=1021,H=31,W=33
3 $here/unsaid.td running B=16,T=3001,C=257 B=4,T=5000,C=512
1.3 $here/unsaid.td newest V=200000,D=128,N=100003 V=50000,D=1024,N=4096
1.7 $here/unsaid.td by_key N=5000001,G=64 N=5000001,G=1200
1.5 $here/unsaid.td discounted E=16384 E=2048
4 $here/unsaid.td by_token T=8,V=128,D=797 T=64,V=32,D=1024 T=500,V=16,D=64
1.7 $dir/argmax.td argmax_rows M=15840,N=672 M=30992,N=715 M=480,N=7265
1.5 $dir/edges.td edge_softmax E=983043,H=8,V=65536 E=1120003,H=3,V=70000 E=140003,H=1,V=20000
1.1 $dir/soft.td soft M=8192,N=16384 M=174762,N=768 M=2048,N=65536
END
# So it is of a file's later entries, for which candidates are not looked for as often.
sed '/^check ragged_some(T = 0/d' tests/numeric/ragged.td >"$dir/later.td"
"$TDC" explain "$dir/later.td" -Wno-perf | sed -n '/^ragged_some/,/ us, and/p' >"$dir/log"
awk '/ us, and/ { us = $1 } END { exit !(us > 0 && us < 8) }' "$dir/log" # 53 by shares of so few elements
verdict $? "a later entry: $(cat "$dir/log")"
# Kernels that do together what one does have a name each, also where one stores what the group is called by.
sed '/^bench/d' bench/plain/chi_square_tables.td >"$dir/chi.td"
"$TDC" "$dir/chi.td" -Wno-perf --dump=choose --stop-after=choose |
    awk '/^  (when|else)/ { split("", met) } /^    / && met[$1]++ { print $1 }' >"$dir/twice"
same 'kernels of one name' "$(sort -u "$dir/twice")" ''
"$TDC" check $here/unsaid.td --emu >"$dir/log" 2>&1
verdict $? "$(grep -v '^ok' "$dir/log")"

# A chunk knows what it has of its range before the loop over that: one that has nothing makes no turn.
"$TDC" bench/suite/segment_mean.td -D T=524288 -D S=16384 -D D=256 --dump=apply --stop-after=apply |
    sed -n '/^kernel s_chunks/,/^kernel y/p' | sed -n '/^  for k/,/^  }/p' >"$dir/turns"
same 'loads of a turn' "$(sed -n 's/.* = load \([a-z_]*\)\[.*/\1/p' "$dir/turns" | tr '\n' ' ')" 'n_order x '

# Between the ends of its range a loop's folds have no conditions of their own; and where only some ranges have chunks,
# where these begin and end is computed for those alone.
printf 'program segment_softmax\n  m: s = grid warp(2) lane(8); t = serial reg(4) lane(4); c = serial reg(1); c_1 = serial reg(1)\n' >"$dir/m.schedules"
"$TDC" bench/places/segment_softmax.td -D T=17000000 -D S=1000000 --schedules="$dir/m.schedules" --dump=lower -Wno-perf |
    sed -n '/__global__.*softmax_m(/,/^}/p' >"$dir/m"
same 'folds without conditions' "$(grep -c '[+=] td_max(p\|exp(' "$dir/m") $(grep -cE 'if \(.*e[0-9]+(\[|\)).* p[0-9]+ = ' "$dir/m")" '8 0'
same 'what only those would read' "$(grep -cE '^ +bool e[0-9]+\[' "$dir/m")" 0
same 'chunks of some ranges' "$(grep -cE '^ +int c(_1)?_first(_2)? = .*;' "$dir/m")" 4

# Versions go where they spare most of what a program takes at the sizes that it is for: of two ways through it, one of
# which is for few sizes, the other has most. Its scan is done in shares.
sed '/^bench/d' bench/places/top1_dispatch.td >"$dir/top1.td"
"$TDC" explain "$dir/top1.td" --at=T=32768,D=1024,N=64,C=640 -Wno-perf | grep -q '^ *[0-9] before_shares'
verdict $? 'shares of the scan of what most sizes take'

# Shares of an axis are counted by numbers that are no larger than it, of which an int holds as many as it holds of the axis's own.
sed '/^bench\|^check\|^dim/d' bench/suite/layernorm_bwd.td >"$dir/bare.td"
"$TDC" "$dir/bare.td" --dump=lower >"$dir/lowered"
same 'bounds of indices' "$(sed -n 's/.*td_small = //p' "$dir/lowered" | sed 's/) \/ [0-9]*) \* [0-9]*//g' | grep -oE '\* [0-9]+' | sort -u)" '* 2'
# Versions for multiples leave addresses that are not aligned, and what an int does not hold, to the last one's last instance.
sed '/^bench\|^check\|^dim/d' bench/suite/layernorm.td >"$dir/bare.td"
"$TDC" "$dir/bare.td" --dump=lower >"$dir/lowered"
others=$(sed -nE 's/.*return (.*)_launch\(stream, tensors.*/\1/p' "$dir/lowered" | sort -u)
[ -n "$others" ] && for other in $others; do grep -q "^ .* $other<.*int64_t" "$dir/lowered" || break; done
verdict $? "the last versions' own instances: $others"

# Loads do not wait behind tests of the whole block's: those of registers that a row does not reach have one of their own,
# and the ends of a peeled row lie in vectors that are loaded whole.
echo 'export fn total(x: f16[M, N]) -> (y: f32[M]) { y[i] = sum[j](f32(x[i, j])); }' >"$dir/total.td"
loads() { # FACTORS of the row: how many loads stand behind such a test, and how many tiles are loaded whole
    printf 'program total\n  y: i = grid warp(2); j = %s\n' "$1" >"$dir/total.schedules"
    "$TDC" "$dir/total.td" --schedules="$dir/total.schedules" --dump=lower |
        awk '/^ *if \(j_reg \* .* < N\) \{$/ { left = 4 } left-- > 0 && /td_load/ { n++ } /td_load_inside<td_f16/ { whole++ } END { print n + 0, whole + 0 }'
}
same 'loads behind tests, vectors' "$(loads 'reg(8) warp(2) lane(32) vec(4)')" '0 0'
same 'loads behind tests, elements' "$(loads 'reg(8) warp(2) lane(32)')" '0 0'
same 'loads behind tests, a peeled row' "$(loads 'reg(8) warp(2) lane(32) vec(4) peel x' | cut -d ' ' -f 2)" 2

# Where lengths are known, tensors that begin elsewhere than at aligned addresses have a kernel of their own, if it is much
# quicker there; the other has then no instance for them.
for known in 'softmax_4k -D M=8192 -D N=4096' 'transpose_2d -D M=4096 -D N=4096' 'column_sum -D M=16384 -D N=1024'; do
    # shellcheck disable=SC2086
    set -- $known
    file=bench/suite/$1.td
    shift
    "$TDC" "$file" "$@" --dump=lower >"$dir/lowered"
    said=$("$TDC" "$file" "$@" --dump=choose | grep -c 'when aligned()')
    same "$known, at other addresses" "$said $(grep -c '^ .*<1>,$' "$dir/lowered")" "$([[ $known == column_sum* ]] && echo '0 0' || echo '1 1')"
done

# Rows and columns of the same elements are folded in one pass where these are many, whatever is said of their lengths.
sed '/^bench/d' bench/suite/layernorm_bwd.td >"$dir/norm.td"
for how in "bench/suite/layernorm_bwd.td" "bench/suite/layernorm_bwd.td -D M=16384 -D N=4096" "$dir/norm.td --at M=65536,N=1024"; do
    # shellcheck disable=SC2086
    same "one pass: $how" "$(launches $how)" 2
done
# The second of two kernels reads from the cache what the first left there, which takes its time: one pass pays for few
# elements, too. Where the two are over soon it does not.
sed '/^bench/d' bench/gpt2/layernorm_backward.td >"$dir/norm.td"
one_pass() { "$TDC" explain "$@" | grep -c '^ *[0-9][0-9]* dinp_dweight_shares'; }
same 'one pass: a layer of 768' "$(one_pass bench/gpt2/layernorm_backward.td -D B=4 -D T=1024 -D C=768)" 1
same 'one pass: a layer of 768, unsaid' "$(one_pass "$dir/norm.td" --at B=4,T=1024,C=768)" 1
same 'two kernels: few elements, unsaid' "$(one_pass "$dir/norm.td" --at B=4,T=16,C=768)" 0
same 'two passes' "$(launches bench/suite/layernorm_bwd.td -D M=16384 -D N=4096 --without=fuse)" 3
# What has an element a row is no reason to read single elements of what has all of them: of rows of any length.
echo 'export fn o(x: f32[M, N], m: f32[M]) -> (y: f32[M, N]) { y[i, j] = x[i, j] - m[i]; } check o(M = 37, N = 3); check o(M = 5, N = 1); check o(M = 9, N = 1021);' >"$dir/outer.td"
"$TDC" "$dir/outer.td" -o "$dir/outer.cu" && "$TDC" check "$dir/outer.td" --emu >"$dir/log" 2>&1
same 'an element a row' "$? $(grep -c 'td_load_outer<2, ' "$dir/outer.cu") $(grep 'td_wide = ' "$dir/outer.cu" | grep -c 'N % ')" '0 4 0'

# Rows that threads hold have as many warps as they take, where lengths are known or hinted: a sixteenth behind the end
# at most.
held() { "$TDC" bench/suite/cross_entropy_fwd_bwd.td "$@" --dump=choose | grep -o 'v = .*peel x' | grep -v 'serial ' |
    awk '{ n = 1; while (match($0, /[(][0-9]+[)]/)) { n *= substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } print n }'; }
for how in '-DM=8192 -DV=50257' ''; do
    # shellcheck disable=SC2086
    held $how >"$dir/held"
    awk '$1 >= 50257 && $1 <= 50257 * 17 / 16 { found = 1 } END { exit !found }' "$dir/held"
    verdict $? "50257 columns $how: held $(tr '\n' ' ' <"$dir/held")"
done

# No launch bound asks for more blocks than a multiprocessor has, however small they are.
echo 'export fn p(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[k](x[i, k]); }' >"$dir/blocks.td"
for blocks in 32 64; do
    printf 'program p\n  y: i = grid; k = serial reg(1) lane(32); occupancy %d\n' $blocks >"$dir/blocks.txt"
    "$TDC" "$dir/blocks.td" --schedules="$dir/blocks.txt" -Wno-perf -o "$dir/blocks.cu" 2>"$dir/log"
    same "$blocks blocks" "$? $(grep -c 'do not fit together' "$dir/log")" "$([ $blocks = 32 ] && echo '0 0' || echo '1 1')"
done

# Of two groups that are alike but for the axes of what divides them each has its own versions.
echo 'import "attn"; export a = gqa_attention(T = bf16); export b = attention_softcap(T = bf16, causal = true);' >"$dir/alike.td"
"$TDC" "$dir/alike.td" -o "$dir/alike.cu" -Wno-perf >"$dir/log" 2>&1
same 'divisions that differ' "$? $(cat "$dir/log")" '0 '

# Each kernel of a program has versions of its own, however many the others have: unsaid lengths cost little.
sed '/^bench/d' bench/gpt2/encoder_backward.td >"$dir/back.td"
back=(V=50304 C=768 P=1024 B=4 T=1024)
us() { "$TDC" explain "$dir/back.td" "$@" | sed -n 's/^\([0-9.]*\) us, .*/\1/p'; }
"$TDC" explain "$dir/back.td" "${back[@]/#/--at=}" >"$dir/log"
same 'versions of two kernels' "$(grep -cE '^   version [0-9]+ of ([4-9]|[0-9][0-9]), taken here' "$dir/log")" 1
unsaid=$(us "${back[@]/#/--at=}") said=$(us "${back[@]/#/-D}")
awk -v a="$unsaid" -v b="$said" 'BEGIN { exit !(a && b && a <= 1.5 * b) }'
verdict $? "unsaid lengths: $unsaid us, said: $said us"

# Few neighbours of many rows are folded as columns; long rows of them as rows are, and nothing is stored of their columns.
cat >"$dir/heads.td" <<'END'
export fn heads(x: bf16[B, T, H*D]) -> (r: f32[B, H]) { r[b, h in H] = mean[t, d in D](x[b, t, h*D + d] ** 2); }
END
"$TDC" explain "$dir/heads.td" -Wno-perf --at=B=16 --at=T=4096 --at=H=32 --at=D=10 >"$dir/log"
same 'few neighbours' "$(grep -c '_columns' "$dir/log" | sed 's/^[1-9].*/columns/')" columns
"$TDC" explain "$dir/heads.td" -Wno-perf --at=B=4096 --at=T=1 --at=H=32 --at=D=128 >"$dir/log"
same 'long rows of neighbours' "$(grep -E '^ [0-9] |^workspace' "$dir/log" | grep -cE '_columns|workspace [1-9]')" 0
finish
