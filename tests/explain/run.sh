#!/bin/bash
# tdc explain: bytes against those counted by hand (bytes.td); launches, products and the workspace's peak against what
# the compiled model asks for and the stand-in sees (its library asks for no scratch where no matrix has 3 n + 1 rows or columns).
cd "$(dirname "$0")/../.." || exit 1
TDC=${TDC:-build/tdc} emu=backend_cuda/emu here=tests/explain
. tests/suite.sh
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

# Long rows in few blocks: each reduction is divided, also one that another one reads.
for n in spread:2 lse:2 columns:2 clipped:1; do
    "$TDC" explain tests/numeric/whole.td ${n%:*} >"$dir/log"
    same "divided reductions of ${n%:*}" "$(grep -c '_shares ' "$dir/log")" ${n#*:}
done

# What reads a cache after a new element in each row chooses between the two: no copy of it is made.
"$TDC" explain tests/numeric/chosen.td append >"$dir/log"
same "copies of the cache" "$(grep -c 'cache_new' "$dir/log")" 0

# a screen, and the same each time
"$TDC" explain samples/transformer_block.td >"$dir/one"
"$TDC" explain samples/transformer_block.td >"$dir/two"
same 'lines and columns of a screen' "$(awk 'length > 80 { wide++ } END { print (NR <= 50), wide + 0 }' "$dir/one")" '1 0'
same 'twice' "$(cat "$dir/two")" "$(cat "$dir/one")"
finish
