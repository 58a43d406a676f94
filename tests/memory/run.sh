#!/bin/bash
# Planned memory: programs whose least workspace is known (memory.td), by what `tdc explain` says, by the compiled model's own query,
# and by `tdc check`, which runs them in poisoned memory, at odd addresses and in place; and a stack of twelve layers, whose
# workspace is held to the largest live set (stack.py).
cd "$(dirname "$0")/../.." || exit 1
TDC=${TDC:-build/tdc} emu=backend_cuda/emu here=tests/memory
. tests/suite.sh
quick_compilers
. tests/explain/model.sh

model $here/memory.td --emit=cu,c,h,manifest
while read -r _ _ entry bytes; do
    entry=${entry%:}
    read -ra sizes < <(grep "^check $entry(" $here/memory.td | sed 's/.*(\(.*\)).*/\1/; s/ = /=/g; s/,//g')
    "$TDC" explain $here/memory.td "$entry" "${sizes[@]/#/--at=}" >"$dir/log"
    same "explain $entry" "$(awk '/^workspace/ { print $2 + 0 }' "$dir/log")" "$bytes"
    # in the order of the entry's own dimensions
    read -ra ordered < <(python3 $here/stack.py dims "$dir/model.json" "$entry" "${sizes[@]}")
    read -r need _ < <("$dir/model" "$entry" "${ordered[@]}")
    same "the query of $entry" "$need" "$bytes"
done < <(grep '^// workspace' $here/memory.td)
line=$("$TDC" check "$(bash tests/sample.sh $here/memory.td)" --emu | tail -n 1)
same "tdc check: $line" "${line##*, }" "0 failed"

python3 $here/stack.py td 12 >"$dir/stack.td"
"$TDC" --dump=kernels "$dir/stack.td" -o "$dir/stack.cu" >"$dir/stack.kernel" || failed=$((failed + 1))
for sizes in "B=2 S=24 H=3 D=8 F=96" "B=1 S=48 H=2 D=24 F=50"; do
    read -ra list <<<"$sizes"
    "$TDC" explain "$dir/stack.kernel" stack "${list[@]/#/--at=}" >"$dir/log"
    python3 $here/stack.py live "$dir/stack.kernel" "$dir/log" "${list[@]}"
    same "12 layers at $sizes" $? 0
done
finish
