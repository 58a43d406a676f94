#!/bin/bash
# tdc explain: bytes against those counted by hand (bytes.td); launches, products and the workspace's peak against what
# the compiled model asks for and the stand-in sees (its library asks for no scratch where no matrix has 3 n + 1 rows or columns).
cd "$(dirname "$0")/../.." || exit 1
TDC=${TDC:-build/tdc} emu=backend_cuda/emu here=tests/explain
. tests/suite.sh
quick_compilers
. tests/explain/model.sh

while read -r _ _ entry kernel read written; do
    "$TDC" explain $here/bytes.td "$entry" >"$dir/log"
    same "bytes of $entry, kernel $kernel" "$(awk -v k="${kernel%:}" '$1 == k && NF > 5 && !/ us, / { print $3, $4 }' "$dir/log")" "$read $written"
done < <(grep '^// bytes' $here/bytes.td)

agree() { # FILE OPTION ENTRY NAME=VALUE...: the dimensions in the order of the entry
    local file=$1 option=$2 entry=$3 got calls need launches products
    shift 3
    "$TDC" explain "$file" "$option" "$entry" "${@/#/--at=}" >"$dir/log"
    read -r need launches products _ < <("$dir/model" "$entry" "${@#*=}")
    got=$(sed -nE '1s/.*: ([0-9]+) launch[a-z]*(, ([0-9]+) of the library)?$/\1 0\3/p' "$dir/log")
    got=$((${got% *} - 10#${got#* })) calls=$(grep -c '^   cuBLASLt: ' "$dir/log")
    same "$entry $*: workspace" "$(awk '/^workspace/ { print $2 + 0 }' "$dir/log")" "$need"
    same "$entry $*: kernels launched" "$got" "$launches"
    # batches that do not lie together are several calls
    same "$entry $*: $calls products, $products calls" $((calls <= products && !calls == !products)) 1
    # no live set is larger than the workspace, and the one named is the largest in the column
    same "$entry $*: the most in use" "$(awk '/^workspace/ { print $NF + 0, ($NF + 0 <= $2 + 0) }' <(sed 's/;[^;]*@.*//' "$dir/log"))" \
        "$(awk '/^ *[0-9]+ [a-zA-Z_]/ && $NF + 0 > most { most = $NF } END { print most + 0, 1 }' "$dir/log")"
}
for option in --library=cublasLt --library=none; do
    model samples/transformer_block.td $option
    agree samples/transformer_block.td $option block B=2 S=3 H=3 D=6 F=20
    agree samples/transformer_block.td $option block B=1 S=9 H=2 D=12 F=33
done
model samples/adamw.td --library=none
agree samples/adamw.td --library=none train N=20 K=3
agree samples/adamw.td --library=none train N=300 K=100

# Programs with choices: the way that the sizes take is explained as if it were the program, and named among all.
way() { # FILE ENTRY WAY KERNELS NAME=VALUE...
    local file=$1 entry=$2 way=$3 kernels=$4
    shift 4
    agree $file --library=cublasLt $entry "$@"
    same "$entry $*: the way taken" "$(sed -n 's/^   way \([0-9]*\) of [0-9]*, taken here, \(.*\)$/\1 \2/p' "$dir/log")" "$way"
    same "$entry $*: its kernels" "$(awk '/^ *[0-9]+ [a-z_]+ .* us / { print $2 }' "$dir/log" | paste -sd ' ')" "$kernels"
}
model tests/kernels/choose_sums.kernel
file=tests/kernels/choose_sums.kernel
way $file choose_sums '1 when N <= 256: row' 'row' M=70 N=256
way $file choose_sums '1 when N <= 256: row' 'row' M=1 N=0
way $file choose_sums '2 when M * N <= 8192: whole, left' 'whole left' M=16 N=512
way $file choose_sums '3 when M <= 1: share, rest, one' 'share rest one' M=1 N=8193
way $file choose_sums '4 else: share, rest, each' 'share rest each' M=17 N=512
same 'all ways are named' "$(grep -c '^   way [0-9] of 4, ' "$dir/log")" 4
same 'equal kernels of two ways' "$(grep -c '^   same kernel as choose_sums_left$' "$dir/log")" 1
model tests/kernels/choose_product.kernel
file=tests/kernels/choose_product.kernel
way $file choose_product '1 when M <= 4: column, few' 'column few' M=4 K=6 N=40
way $file choose_product '2 when N <= 16: narrow, narrow_left' 'narrow narrow_left' M=5 K=6 N=15
way $file choose_product '3 else: wide_column, wide, wide_left' 'wide_column wide wide_left' M=70 K=33 N=33

# Long rows in few blocks: reductions are divided, and one that another one reads is folded with it, in one pass. (Of fewer
# elements they are done by one block, or by those of a cluster.)
for n in spread:1 lse:1 columns:1 clipped:1; do
    case $n in spread:1 | lse:1) at=--at=N=67108864 ;; clipped:1) at=--at=A=4096,B=4096 ;; *) at= ;; esac
    "$TDC" explain tests/numeric/whole.td ${n%:*} $at >"$dir/log"
    same "divided reductions of ${n%:*}" "$(grep -cE '_shares(_[0-9]+)? ' "$dir/log")" ${n#*:}
done

# What programs of bench/wide are made of, with lengths that are told.
made() { # WHAT FILE PATTERN LENGTHS: how many lines have it
    "$TDC" explain bench/wide/$2.td -I bench/wide "${@:4}" >"$dir/log" 2>&1
    same "$1 of $2" "$(grep -cE "$3" "$dir/log")" 1
}
made 'one kernel, which norms and turns,' rms_norm_heads ': 1 launch$' -DB=4 -DS=2048 -DH=24 -DD=64
made 'pairs in one store' rotary_pairs '^ .* p = ' -DB=8 -DS=2048 -DH=16 -DD=64
made 'tall columns, divided,' min_max_columns '_shares ' -DM=50000 -DN=300
made 'rows that lanes have' gate_top2 '2 of 64 in .* 8 lanes a row' -DM=262147
made 'one axis of three' drawn_304 '^   ijk = grid ' -DB=983
made 'a function of rows' drawn_105 '^   i = grid; j = ' -DC=5655 -DA=5655
made 'rows that are looked up for once' window_bias_softmax '^   i0 = grid reg\(8\); ' -DB=2048 -DH=6 -DL=49 -DR=169

# What reads a cache after a new element in each row chooses between the two: no copy of it is made.
"$TDC" explain tests/numeric/chosen.td append >"$dir/log"
same "copies of the cache" "$(grep -c 'cache_new' "$dir/log")" 0

# A kernel that somebody wrote has a time by its stages, 65 us on an H200, and no bound in its place.
"$TDC" explain tests/kernels/softmax_4k.kernel --at M=16384 >"$dir/log"
same 'a time of a kernel by hand' "$(awk '$2 == "rows" { print ($5 > 55 && $5 < 75), $6, $7 }' "$dir/log")" '1 us memory'
# What is read again: 4 M N by the second loop, 4 N by each of ceil(M / 8) blocks but one.
json() { # WHAT ARGUMENTS...: python on standard input sees `lines`
    local what=$1
    shift
    "$TDC" explain "$@" --format=json >"$dir/results" 2>"$dir/log"
    (echo 'import json, sys; lines = [json.loads(line) for line in open(sys.argv[1])]; near = lambda a, b: abs(a - b) <= 1e-3 * b'; cat) >"$dir/script.py"
    python3 "$dir/script.py" "$dir/results" >>"$dir/log" 2>&1
    verdict $? "$what: $(cat "$dir/log")"
}
json 'read again' $here/again.kernel --at M=30,N=500 <<'END'
k, = lines[0]["kernels"]
assert (k["reads"], k["writes"], k["reads_again"]) == (4 * (30 * 500 + 500), 4 * 30 * 500, 4 * (30 * 500 + 3 * 500)), k
END
"$TDC" explain $here/again.kernel --at M=30,N=500 >"$dir/log"
same 'read again, as text' "$(grep -o '^   reads 66 KB again' "$dir/log")" '   reads 66 KB again'
# the gap: the library's kernels and those by hand take what their bytes take at least
same 'a small kernel' "$(grep ' of the peak' "$dir/log")" '3.6 times a copy of its 122 KB (0.6 us): 28 % of the peak of h200'
# ranges that are data: each element once, and not once for each range
cat >"$dir/ranges.td" <<'END'
export fn f(x: f32[N], off: i32[S + 1]) -> (y: f32[S]) {
    assume 0 <= off[s] && off[s] <= N;
    assume off[s] <= off[s + 1];
    y[s] = sum[n in off[s]..off[s + 1]](x[n]);
}
END
json 'ranges read again' "$dir/ranges.td" --at N=1000000,S=10000 <<'END'
assert all(k["reads_again"] <= k["reads"] for k in lines[0]["kernels"]), lines[0]["kernels"]
END
gap() { sed 's/^as fast as a copy/1.0 times a copy/' "$dir/log" | sed -nE 's/^([0-9.]+) times (a copy of its|what its products take) .*\(([0-9.]+) us\): ([0-9.]+) % of the peak of h200$/\1 \3 \4/p'; }
for file in samples/softmax.td samples/mlp.td; do
    "$TDC" explain $file >"$dir/log"
    read -r times least share < <(gap)
    total=$(awk '/ us, and / { print $1 }' "$dir/log") kernels=$(awk 'NR == 1 && match($0, /[0-9]+ launch/) { print substr($0, RSTART) + 0 }' "$dir/log")
    same "the gap of $file" "$(awk -v t="$times" -v l="$least" -v s="$share" -v a="$total" -v k="$kernels" \
        'BEGIN { a += 4 * (k - 1); d = a / l / t; p = 100 / t - s; print (d > 0.94 && d < 1.06), (p * p < 0.02 * s * s || p * p < 0.004) }')" '1 1'
done
json 'an entry of the library and kernels' samples/transformer_block.td <<'END'
e, = lines
sizes = {"B": 8, "S": 1024, "H": 16, "D": 64, "F": 4096}
assert e["entry"] == "block" and e["sizes"] == sizes and set(e["from"].values()) == {"by bench"}, e
ks = e["kernels"]
assert e["launches"] == len(ks) and near(e["us"], sum(k["us"] for k in ks) + 4 * (len(ks) - 1)), e
# its four projections and both layers of its feed-forward, each B S rows, scores, and scores times values
products = 2 * 8 * 1024 * 1024 * (3 * 1024 + 1024 + 2 * 4096) + 2 * 2 * 8 * 16 * 1024 * 1024 * 64
assert near(e["floor"]["products_us"], products / 989e12 * 1e6), e["floor"]
assert near(e["ratio"], e["us"] / max(e["floor"]["products_us"], e["floor"]["copy_us"])) and near(e["ratio"] * e["share_of_peak"], 1), e
assert all(0 < k["share_of_peak"] <= 1 for k in ks) and e["verified"] and e["target"] == "sm_90a" and e["machine"] == "h200", e
assert any(k.get("call", "").startswith("cuBLASLt: ") and k["at_least"] for k in ks) and any("schedule" in k for k in ks), ks
END
# of a table what is asked for at most, of outputs all
json 'floor' $here/bytes.td rows --at V=1000,K=10 <<'END'
assert lines[0]["floor"]["bytes"] == 8 * 10 + 2 * 4 * 4 * 10, lines
END
json 'ways' tests/kernels/choose_sums.kernel --at M=16,N=512 <<'END'
assert [w["taken"] for w in lines[0]["ways"]] == [False, True, False, False] and lines[0]["ways"][1]["kernels"] == ["whole", "left"], lines
END
json 'every entry' $here/bytes.td <<'END'
assert len(lines) > 3 and all(e["kernels"] for e in lines), lines
END

# a screen, and the same each time
"$TDC" explain samples/transformer_block.td >"$dir/one"
"$TDC" explain samples/transformer_block.td >"$dir/two"
same 'lines and columns of a screen' "$(awk 'length > 80 { wide++ } END { print (NR <= 80), wide + 0 }' "$dir/one")" '1 0'
same 'twice' "$(cat "$dir/two")" "$(cat "$dir/one")"
# Of one entry that is named: nothing is made of the others, and nothing is said of them.
cat >"$dir/two.td" <<'END'
export fn plain(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
export fn product(a: f32[M, K], b: f32[N, K]) -> (y: f32[M, N]) { y[i, j] = sum[k](a[i, k] * b[(j + 1) % N, k]); }
bench plain(N = 4096);
bench product(M = 4096, K = 4096, N = 4096);
END
"$TDC" explain "$dir/two.td" plain >"$dir/log" 2>&1
same 'an entry that is named' "$? $(grep -c 'product' "$dir/log") $(grep -c '^plain(' "$dir/log")" '0 0 1'
"$TDC" explain "$dir/two.td" >"$dir/log" 2>&1
same 'both' "$? $(grep -c 'perf.*product(' "$dir/log") $(grep -c '^plain(\|^product(' "$dir/log")" '0 1 2'
# What is slow is said without -Wperf, where it is predicted to be far from the floor and something can be written instead.
perf() { # WANT, TEXT, OPTION...: codes reported
    printf '%s\n' "$2" >"$dir/perf.td"
    "$TDC" "$dir/perf.td" -o "$dir/perf.cu" "${@:3}" 2>"$dir/log"
    same "reports of $2 with '${*:3}'" "$(grep -o 'perf\[W[0-9]*' "$dir/log" | sort -u | tr '\n' ' ')" "$1"
}
scatter='export fn f(x: f32[N], t: i32[N]) -> (y: f32[V]) { assume 0 <= t[n] && t[n] < V; y[t[n]] += x[n]; }'
perf 'perf[W1006 perf[W1008 ' "$scatter bench f(N = 100000, V = 50000);" --without=sort,split
perf 'perf[W1006 perf[W1008 ' "dim N hint 100000; dim V hint 50000; $scatter check f(N = 10, V = 5);" --without=sort,split
perf '' "$scatter bench f(N = 100000, V = 50000);" --without=sort,split -Wno-perf
perf '' "$scatter bench f(N = 100, V = 50);"
perf 'perf[W1006 ' "$scatter bench f(N = 100, V = 50);" -Wperf
perf '' 'export fn f(x: f32[N, 64]) -> (y: f32[N]) { y[i] = x[i, 0]; } bench f(N = 1000);'
# Nothing of the library and the samples looks through all updates for each element, where lengths are not said: of
# some; with TDC_EVERY=1 of each (lib_conv alone takes twice as long as those together that are left).
for file in tests/numeric/lib_index.td tests/numeric/lib_nn.td tests/numeric/lib_conv.td bench/suite/scatter_rows.td samples/dlrm.td; do
    turn 3 || continue
    "$TDC" $file -Wperf --stop-after=advise --dump=sort >"$dir/sorts" 2>"$dir/log"
    same "searches of $file" "$(grep -c 'perf\[W1006' "$dir/log")" 0
    case $file in *index* | *scatter*) grep -q '^sort ' "$dir/sorts" ;; esac
    same "sorts of $file" $? 0
done
# Of rows that are a part of longer ones these say what is aligned, and the part is held: it is not read again.
sed '/^bench/d' bench/gpt2/fused_classifier.td >"$dir/part.td"
"$TDC" "$dir/part.td" --dump=choose | grep -q 'P % 4 == 0'
verdict $? 'what is aligned of parts of rows'
"$TDC" explain $here/part_rows.td --at=N=4096 --at=P=8192 --at=V=8001 >"$dir/log"
same "parts of rows" "$(grep -c '^ *reads .* again' "$dir/log")" 0
# What computes a product again where what it excludes is not finite counts as what it mostly does: nothing.
"$TDC" explain samples/transformer_block.td >"$dir/log" 2>&1
same "a kernel for special data" "$(grep -c 'has nothing to do' "$dir/log") \
$(awk '/^10 t_o_t1_2 / { print $3 + $4 < 64 && $5 < 5 }' "$dir/log")" '1 1'
# The second layer of a perceptron is the library's, however much wider the first one's results are than what it reads.
for hidden in 64 1023 2048 2049 4096 65536; do
    "$TDC" explain samples/mlp.td -D K=1024 -D H=$hidden -D M=4096 -D N=1024 2>&1 | head -n 1 >"$dir/log"
    same "products of the library, H = $hidden" "$(grep -o '[0-9]* of the library' "$dir/log")" '2 of the library'
done
finish
