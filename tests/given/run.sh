#!/bin/bash
# Given schedules: what --dump=choose prints, with a group's versions for some sizes, is read back as it is; what is given is right; and
# what is wrong is said at its line.
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-build/tdc}")
. tests/suite.sh

# ---- a dump, given back, leaves the same dump ----
for file in samples/*.td bench/suite/*.td; do
    "$tdc" "$file" --dump=choose --stop-after=choose >"$dir/first" 2>"$dir/log" &&
        "$tdc" "$file" --dump=choose --stop-after=choose --schedules="$dir/first" >"$dir/again" 2>"$dir/log"
    verdict $? "$file: $(head -n 1 "$dir/log")"
    cmp -s "$dir/first" "$dir/again"
    verdict $? "$file: $(diff "$dir/first" "$dir/again" | head -n 2)"
done

# ---- versions by hand ----
cp samples/softmax.td "$dir/softmax.td"
echo 'export fn f(x: f32[M, N]) -> (y: f32[N]) { y[j] = sum[i](x[i, j]); } check f(M = 9000, N = 24); check f(M = 40, N = 24);' >"$dir/columns.td"
cd "$dir" || exit 1
wide='i = grid warp(4); j = serial reg(2) lane(32) vec(4)'
printf '%s\n' 'program softmax # mine' ' when N <= 64 && M % 2 == 0' "y: $wide" 'when  N<=512' \
    'y: i = grid warp(4); j = reg(4) lane(32) vec(4)' else "  y: $wide; ahead 1" >own
"$tdc" softmax.td --schedules=own --dump=choose --stop-after=choose >out 2>&1
same 'own versions' "$? $(sed 's/^ *//' out | tr '\n' '|')" \
    "0 program softmax|when N <= 64 && M % 2 == 0|y: $wide|when N <= 512|y: i = grid warp(4); j = reg(4) lane(32) vec(4)|else|y: $wide; ahead 1|"
"$tdc" check softmax.td --emu --schedules=own >out 2>&1
same 'they are right' "$? $(tail -n 1 out)" '0 3 passed, 0 failed'
# a version may be two kernels, where the group may be divided
"$tdc" columns.td -DM=100000 -DN=64 --dump=choose --stop-after=choose >shares
(echo 'program f'; echo 'when M >= 5000'; grep '^  y' shares; echo else; echo 'y: j = grid; i = serial reg(4) warp(8) lane(32)') >divided
"$tdc" check columns.td --emu --schedules=divided >out 2>&1
same 'a divided version' "$? $(tail -n 1 out)" '0 2 passed, 0 failed'
"$tdc" columns.td --schedules=divided --dump=choose --stop-after=choose >out
same 'as it is printed' "$(grep -c '^    y' out) $("$tdc" columns.td --schedules=out --dump=choose --stop-after=choose | cmp - out)" '3 '

# ---- what is wrong ----
wrong() { # PLACE CODE WORDS FILE LINES...
    local place=$1 code=$2 words=$3 file=$4
    shift 4
    printf '%s\n' "$@" >w
    rm -f out.*
    "$tdc" "$file.td" --schedules=w -o out.cu >log 2>&1
    same "$*" "$? $(grep -c "error\[" log) $(grep -c "^w:$place: error.$code.: .*$words" log) $(ls out.* 2>/dev/null)" '1 1 1 '
}
whole='y: i = grid warp(4); j = serial reg(2) lane(32) vec(4)' short='y: i = grid warp(4); j = reg(4) lane(32) vec(4)'
wrong 2:6 E0904 'end here, without .else' softmax 'program softmax' 'when N <= 64' "$whole"
wrong 2:6 E0904 'end here, without .else' softmax 'program softmax' 'when N <= 64' "$whole" "$whole"
wrong 4:6 E0904 'no schedule stands behind' softmax 'program softmax' 'when N <= 64' "$whole" 'when N <= 100' else "$whole"
wrong 4:1 E0904 'no schedule stands behind' softmax 'program softmax' 'when N <= 64' "$whole" else
wrong 2:6 E0904 "K" softmax 'program softmax' 'when K <= 64' "$whole" else "$whole"
wrong 2:6 E0904 'a condition compares' softmax 'program softmax' 'when N + 1' "$whole" else "$whole"
wrong 2:14 E0904 'ends before' softmax 'program softmax' 'when N <= 64 N' "$whole" else "$whole"
wrong 2:6 E0906 'needs N <= 512' softmax 'program softmax' 'when N <= 513' "$short" else "$whole"
wrong 2:6 E0906 'needs N <= 512' softmax 'program softmax' 'when M <= 64' "$short" else "$whole"
wrong 4:1 E0906 'needs N <= 512' softmax 'program softmax' 'when N <= 64' "$whole" else "$short"
wrong 5:1 E0906 'two grid' softmax 'program softmax' 'when N <= 64' "$whole" else 'y: i = grid grid(2); j = serial reg(2) lane(32) vec(4)'
wrong 3:1 E0906 'has no line behind' columns 'program f' 'when M >= 5000' 'y_shares: j = grid' else 'y: j = grid; i = serial reg(4) lane(32)'
lines=('program softmax')
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13; do lines+=("when N <= $n" "$whole"); done
wrong 27:1 E0906 '12 versions at most' softmax "${lines[@]}" else "$whole"
# known from the conditions before it
printf '%s\n' 'program softmax' 'when N > 512' "$whole" else "$short" >own
"$tdc" softmax.td --schedules=own --dump=choose --stop-after=choose >out 2>&1
same 'else, after the long ones' "$? $(grep -c reg.4. out)" '0 1'
finish
