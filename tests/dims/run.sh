#!/bin/bash
# Lines dim: what they reach, the order that one of several names gives, sizes of bench lines as hints.
cd "$(dirname "$0")/../.." || exit 1
TDC=$(realpath "${TDC:-build/tdc}") here=tests/dims
. tests/suite.sh

dims() { # FILE: each entry and what is known of its dimensions
    "$TDC" "$1" --dump=sema 2>&1 | sed -nE 's/^graph (.*)/\1:/p; s/^  dim (.*)/ \1;/p' | tr -d '\n' | sed -E 's/;([a-z])/;\n\1/g; s/;$/\n/; s/;\n/\n/g'
}
same 'the order of dimensions' "$(dims $here/order.td)" 'product: M; N; K hint 64
other: N; S; R; T
ours: M; N in 1.. hint 77 divisible 5; K hint 64'
same 'what lines reach' "$(dims $here/reach.td)" 'p: M; N in 10..=64000 hint 32000 divisible 2
q: M; K hint 100
fixed: M
theirs2: N in 10..=64000 hint 32000 divisible 10; K hint 100; M
outer: L; S hint 100'
same 'sizes of bench lines' "$(dims $here/benched.td)" 'f: M hint 30; N hint 4000000; K hint 48
g: M; N'

# The same order in C, in the manifest and for the runner, which calls by position.
"$TDC" $here/order.td --emit=cu,c,h,manifest -o "$dir/o.cu"
same 'in C' "$(sed -nE 's/^o_status o_(product|other|ours)\(.* \*y, (.*)\);/\1 \2/p' "$dir/o.h" | sed 's/int64_t //g')" 'product M, N, K
other N, S, R, T
ours M, N, K'
same 'in the manifest' "$(python3 -c '
import json, sys
for e in json.load(open(sys.argv[1]))["entries"]: print(e["name"], *(d["name"] for d in e["dimensions"]))' "$dir/o.json")" 'product M N K
other N S R T
ours M N K'
"$TDC" check $here/order.td --emu >"$dir/log" 2>&1
same 'called by the runner' "$? $(tail -n 1 "$dir/log")" '0 2 passed, 0 failed'

# -D in explain: the program that compiling with it makes, as an instance does; --at: the one for all sizes. clause 10.4
cat >"$dir/norm.td" <<'END'
fn norm<K: int = 1>(x: bf16[M, N]) -> (y: bf16[M, N]) { y[m, n] = (x[m, n] - mean[j](x[m, j])) * K; }
export general = norm();
export one = norm(N = 4096);
END
schedules() { "$TDC" explain "$dir/norm.td" "$@" | grep ' = grid'; }
same 'explain -D' "$(schedules general -D N=4096)" "$(schedules one)"
ways() { "$TDC" explain "$dir/norm.td" "$@" | sed -n 's/^ *way [0-9]* of \([0-9]*\).*/\1/p'; }
same 'explain --at' "$(ways general --at N=512)" "$(ways general)"
[ "$(schedules general)" != "$(schedules one)" ]
verdict $? 'the length makes no difference'

finish
