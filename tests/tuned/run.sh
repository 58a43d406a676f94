#!/bin/bash
# Tuned schedules: what `tdc tune` writes on the stand-in, whose times are invented by what the schedule is; which groups a line is for,
# whatever their names are and whether lengths are fixed; and what is said of lines that are wrong.
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-build/tdc}")
export TDC_HOME=${TDC_HOME:-$PWD}
. tests/suite.sh
quick_compilers
cp tests/tuned/*.td "$dir"
cd "$dir" || exit 1
choose() { "$tdc" "$1" --target=emu --dump=choose --stop-after=choose "${@:2}" 2>log; }

# ---- what tune writes ----
"$tdc" tune soft.td --emu -o t.tuning >log 2>&1
same 'tune' "$? $(tail -n 1 log | sed 's/[0-9.]* times/x times/')" \
    '0 1 group on the CPU stand-in, 22 candidates, 0 failed, 1 tuned, x times as fast (geometric mean): t.tuning'
same 'the file' "$(sed 's/form=[0-9a-f]\{16\}/form=F/; s/: i0.* # y/: S # y/; s/[0-9.]* us/T us/; s/choice .*/choice T/' t.tuning)" \
    "tdc tuning 1
schedule machine=emu form=F at=512,1024 when i0 >= 342 && i0 <= 768 && i1 >= 683 && i1 <= 1024 && i1 % 8 == 0 : S # y of soft(M = 512, N = 1024): T us; tdc's own choice T"
line=$(sed -n 2p t.tuning) form=$(grep -o 'form=[0-9a-f]*' t.tuning)
schedule=$(sed -n '2s/.* : \(.*\) # .*/\1/p' t.tuning)
named=${schedule//i0/i}
named=${named//i1/j}
named=${named//t0/x}
named=${named//t1/y}
# merged: comments and other lines stay, what is there already stays as it is
other="schedule machine=emu form=0123456789abcdef at=7 when i0 == 7 : i0 = grid thread(32)"
printf '%s\n' 'tdc tuning 1' '# a head' '' "$other # of another program" '# ours' "${line%% #*} # mine" '# at the end' >merged.tuning
cp merged.tuning before
"$tdc" tune soft.td --only=schedules --emu -o merged.tuning >log 2>&1
same 'merged' "$? $(cmp merged.tuning before)" '0 '

# an entry that no line gives sizes has none; one that is named needs them
(cat soft.td; echo 'export fn twice(x: f32[N]) -> (y: f32[N]) { y[i] = 2.0 * x[i]; }') >more.td
"$tdc" tune more.td --only=products --emu -o y >log 2>&1
same 'nothing of products' "$? $(grep -c 'nothing to tune; nothing is written' log)" '0 1'
"$tdc" tune more.td twice --emu -o y >log 2>&1
same 'no sizes' "$? $(grep -c 'no size for N' log) $(ls y 2>/dev/null)" '1 1 '

# ---- which groups a line is for ----
tuned="  when M >= 342 && M <= 768 && N >= 683 && N <= 1024 && N % 8 == 0|    y: $named|"
first() { choose "$@" | sed -n '2,3p' | tr '\n' '|'; }
same 'its own' "$(first soft.td --tuning=t.tuning)" "$tuned"
same 'it stands before those chosen' "$(choose soft.td --tuning=t.tuning | sed 2,3d)" "$(choose soft.td | sed 's/^  y/  else\n    y/')"
sed 's/soft(/other(/; s/\bx\b/input/g; s/\by\b/result/g; s/\bm\b/top/g; s/\bs\b/sums/g; s/\bi\b/row/g; s/\bj\b/col/g; s/\bk\b/at/g; s/\bM\b/R/g; s/\bN\b/C/g' soft.td >names.td
renamed=$(sed 's/\bx\b/input/g; s/\by\b/result/g; s/\bi\b/row/; s/\bj\b/col/; s/\bM\b/R/g; s/\bN\b/C/g' <<<"$tuned")
same 'under other names' "$(first names.td --tuning=t.tuning | sed 's/bench.*//')" "$renamed"
same 'a length that is fixed' "$(first soft.td --tuning=t.tuning -D N=1000)" "  when M >= 342 && M <= 768|    y: $named|"
same 'both' "$(choose soft.td --tuning=t.tuning -D N=1000 -D M=400)" "program soft
  y: $named"
same 'not there' "$(choose soft.td --tuning=t.tuning -D N=1001)" "$(choose soft.td -D N=1001)"
sed 's/bf16(exp/bf16(2.0 * exp/' soft.td >twice.td
same 'another equation' "$(choose twice.td --tuning=t.tuning)" "$(choose twice.td)"
sed 's/bf16\[M, N\]) ->/f16[M, N]) ->/' soft.td >types.td
same 'another type' "$(choose types.td --tuning=t.tuning)" "$(choose types.td)"
choose soft.td --tuning=t.tuning >dump
same 'the dump, given back' "$(choose soft.td --schedules=dump | cmp - dump)" ''
"$tdc" check soft.td --target=emu --tuning=t.tuning >log 2>&1
same 'check' "$? $(tail -n 1 log)" '0 2 passed, 0 failed'
"$tdc" explain soft.td --target=emu --tuning=t.tuning >log 2>&1
same 'explain' "$? $(grep -c '^   tuned by t.tuning:2$' log)" '0 1'
"$tdc" explain soft.td --target=emu --tuning=t.tuning --format=json >log 2>&1
same 'explain, as JSON' "$? $(grep -c '"tuned": "t.tuning:2"' log)" '0 1'
"$tdc" explain soft.td --target=emu --tuning=t.tuning --at M=5 >log 2>&1
same 'explain, elsewhere' "$? $(grep -c 'tuned by' log)" '0 0'
sed 's/machine=emu/machine=h200/' t.tuning >gpu.tuning
same 'lines of a GPU are not for the stand-in' "$(choose soft.td --tuning=gpu.tuning)" "$(choose soft.td)"
same 'but for the GPU' "$("$tdc" soft.td --tuning=gpu.tuning --dump=choose --stop-after=choose | sed -n '2,3p' | tr '\n' '|')" "$tuned"
# of two lines that hold, the first in the file's order; those that no sizes come to go
head='schedule machine=emu' wide='i0 = grid; i1 = serial reg(2) warp(4) lane(32) vec(4)'
printf '%s\n' 'tdc tuning 1' "$head $form at=9,9 when i1 <= 99 : $wide" "$head $form at=8,8 : $wide; ahead 1" >two.tuning
same 'a line for all lengths' "$(choose soft.td --tuning=two.tuning | grep -c .)" 2
same 'two lines' "$(sed -i 's/at=8,8/at=10,10/' two.tuning; choose soft.td --tuning=two.tuning | grep -c 'when N <= 99\|ahead 1')" 2
(echo 'tdc tuning 1'; for n in {1..40}; do echo "$head $form at=$n,8 when i0 == $n : $wide"; done) >many.tuning
same 'more than there may be' "$(choose soft.td --tuning=many.tuning | grep -c '^    y') $(tail -n 1 log)" '32 '

# many groups of many lines have all of them: each chooses for itself
(
    echo 'export fn many(x0: bf16[M, N], x1: bf16[M, N], x2: bf16[M, N]) -> (y0: bf16[M, N], y1: bf16[M, N], y2: bf16[M, N]) {'
    for n in 0 1 2; do sed -n '/let m/,/y\[i/p' soft.td | sed "s/\b[xyms]\b/&$n/g"; done
    echo '}'
) >groups.td
(echo 'tdc tuning 1'; for n in {1..12}; do echo "$head $form at=$n,8 when i0 % $((n + 1)) == 0 && i1 % $((14 - n)) == 0 : $wide"; done) >many.tuning
choose groups.td --tuning=many.tuning >out
same 'several groups' "$(grep -c '^  when M % [0-9]* == 0 && N % [0-9]* == 0$' out) $(grep -c 'warning.W1105.: of each group' log)" '36 0'

# ---- lines that are wrong ----
wrong() { # CODE COLUMN-WORDS LINE: the error is at these words
    printf 'tdc tuning 1\n%s\n' "$3" >w.tuning
    rm -f out.*
    local at=${3%"$2"*}
    "$tdc" soft.td --target=emu --tuning w.tuning -o out.cu >log 2>&1
    same "$3" "$? $(grep -c 'error\[' log) $(grep -o "^w.tuning:[0-9:]* error.$1." log) $(ls out.* 2>/dev/null)" \
        "1 1 w.tuning:2:$((${#at} + 1)): error[$1] "
}
good="$head $form at=9,9"
wrong E1101 schedule "$good"
wrong E1101 "" "$good :"
wrong E1101 size=3 "$good size=3 : $wide"
wrong E1101 at=9,9 "$good at=9,9 : $wide"
wrong E1101 schedule "$head $form : $wide"
wrong E1102 sm_90a "schedule machine=sm_90a $form at=9,9 : $wide"
wrong E1102 123 "$head form=123 at=9,9 : $wide"
wrong E1102 9, "$head $form at=9, : $wide"
wrong E1102 i2 "$good when i2 <= 8 : $wide"
wrong E1102 '<' "$good when i1 < 8 : $wide"
wrong E1102 'i1 <= 7' "$good when i1 >= 8 && i1 <= 7 : $wide"
printf 'tdc tuning 1\n%s\n%s\n' "$good : $wide" "$good when i1 <= 9 : $wide" >w.tuning
"$tdc" soft.td --target=emu --tuning w.tuning -o out.cu >log 2>&1
same 'two for the same' "$? $(grep -c '^w.tuning:3:1: error.E1104' log)" '1 1'
"$tdc" soft.td --tuning t.tuning -o out.cu >log 2>&1
same 'the stand-in is no GPU' "$? $(grep -c '^t.tuning:2:1: error.E1102.: target=emu' log)" '1 1'
stale() { # WORDS LINE: it is skipped, with a warning
    printf 'tdc tuning 1\n%s\n' "$2" >w.tuning
    choose soft.td --tuning w.tuning >out
    same "$2" "$? $(grep -c '^w.tuning:2:1: warning.W1105' log) $(grep -c -- "$1" log) $(cmp out <(choose soft.td))" '0 1 1 '
}
stale 'two grid' "$good : i0 = grid grid(2); i1 = serial reg(2) lane(32)"
stale 'cannot be read' "$good : i = grid; j = serial reg(2) lane(32)"
stale 'do not hold these lengths' "$good when i1 >= 600 : i0 = grid warp(4); i1 = reg(4) lane(32) vec(4)"
stale 'not divided' "$good : $wide | $wide"
finish
