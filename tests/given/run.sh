#!/bin/bash
# Given schedules: what --dump=choose prints, with a group's versions for some sizes, is read back as it is; what is given is right; and
# what is wrong is said at its line.
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-build/tdc}")
. tests/suite.sh
quick_compilers

# ---- a dump, given back, leaves the same dump ----
for file in samples/*.td bench/suite/*.td; do # every fourth; with TDC_EVERY=1 each
    turn 4 || continue
    "$tdc" "$file" --dump=choose --stop-after=choose >"$dir/first" 2>"$dir/log" &&
        "$tdc" "$file" --dump=choose --stop-after=choose --schedules="$dir/first" >"$dir/again" 2>"$dir/log"
    verdict $? "$file: $(head -n 1 "$dir/log")"
    cmp -s "$dir/first" "$dir/again"
    verdict $? "$file: $(diff "$dir/first" "$dir/again" | head -n 2)"
done

# of two ways that of one pass has its condition in front, which its versions know of (sched/plan/in_place.c)
echo 'export fn turn(inout x: f16[T, H, D], c: f32[D]) { x[t, h, d] = x[t, h, d] * c[d] - x[t, h, D - 1 - d]; }
    bench turn(T = 8192, H = 32, D = 128);' >"$dir/turned.td"
"$tdc" "$dir/turned.td" --dump=choose --stop-after=choose >"$dir/first" 2>"$dir/log"
grep -q '^  one pass when D <= 16384 && D <= 128$' "$dir/first"
verdict $? "in one pass: $(grep 'one pass' "$dir/first")"
"$tdc" "$dir/turned.td" --dump=choose --stop-after=choose --schedules="$dir/first" 2>"$dir/log" | cmp -s - "$dir/first"
verdict $? "in one pass, read back: $(head -n 1 "$dir/log")"

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

# of a grid that is longer than its axis some blocks have no row that a bulk copy could bring or send
echo 'export fn few(x: f32[A, N]) -> (y: f32[A, N]) { y[i, j] = x[i, j] * 2; } check few(A = 1, N = 40); check few(A = 5, N = 3); check few(A = 0, N = 7);' >few.td
for bulk in 'out y bulk' 'copy x bulk 2'; do
    printf '%s\n' 'program few' 'when A <= 3' "y: i = grid(3); j = serial reg(1) lane(32); $bulk" else 'y: i = grid; j = serial reg(1) lane(32)' >few
    "$tdc" check few.td --emu --without=flatten --schedules=few >out 2>&1
    same "rows that blocks lack, $bulk" "$? $(tail -n 1 out)" '0 3 passed, 0 failed'
done
# but shares have a place for each block, whether or not it has anything of the axis that is folded
cat >tally.td <<'END'
export fn tally(k: i64[N]) -> (y: f32[3]) {
    assume 0 <= k[n] && k[n] < 3;
    y[k[n]] += 1.0;
}
check tally(N = 0); check tally(N = 16); check tally(N = 5000);
END
printf '%s\n' 'program tally' \
    'y_shares: i0 = grid serial(3) lane(32) vec(4); n = grid(1056) serial reg(2) lane(32) vec(1); scatter; order i0; out y_share3 bulk' \
    'y_2: i0 = grid warp(2) lane(16) vec(3); piece = serial lane(2) vec(1)' >tally
"$tdc" check tally.td --emu --schedules=tally >out 2>&1
same 'shares of all blocks' "$? $(tail -n 1 out)" '0 3 passed, 0 failed'

# what scatters, with no threads along what it folds nor along the places: one layout has both, and is changed in place
cat >bump.td <<'END'
export fn bump(inout g: f32[V, D], x: f32[N, D], ids: i32[N]) {
    assume 0 <= ids[n] && ids[n] < V;
    g[ids[n], d] += x[n, d];
}
check bump(V = 64, N = 100, D = 64);
END
printf '%s\n' 'program bump' 'g: i0 = grid serial(1) reg(4); d = grid lane(32); n = serial reg(8); ahead 1; scatter' >bump.schedules
"$tdc" check bump.td -DV=64 -DN=100 -DD=64 --emu --schedules=bump.schedules >out 2>&1
same 'scattered in one layout' "$? $(tail -n 1 out)" '0 1 passed, 0 failed'

# a loop of a stated length ends where its axis does: what stands in it is never outside, where that is empty, either
echo 'export fn short(x: f32[C, E]) -> (y: f32[C, E]) { y[i, j] = min[m](x[i / 2, j] * x[m, j] + 0.5); }
    check short(C = 3, E = 3); check short(C = 4, E = 2); check short(C = 2, E = 0);' >short.td
printf '%s\n' 'program short' 'when E <= 3' 'y: i = grid lane(8); j = serial(3); m = serial reg(1) lane(4)' \
    else 'y: i = grid; j = grid thread(16); m = serial reg(4) thread(2); order j' >short
"$tdc" check short.td --emu --schedules=short >out 2>&1
same 'a loop of a stated length' "$? $(tail -n 1 out)" '0 3 passed, 0 failed'

# a reduction that reads another one's result, in one pass with it: special values are those of two
echo 'export fn s(x: f32[M, N]) -> (m: f32[M], z: f32[M]) { m[i] = max[j](x[i, j]); z[i] = sum[j](exp(x[i, j] - m[i])); }
export fn v(x: f32[M, N]) -> (m: f32[M], q: f32[M]) { m[i] = sum[j](x[i, j]) / f32(N); q[i] = sum[j]((x[i, j] - m[i]) ** 2); }
export fn w(x: f32[M, N], k: i32[N]) -> (m: f32[M], q: f32[M]) {
    m[i] = sum[j where k[j] > 0](x[i, j]) / f32(N); q[i] = sum[j where k[j] > 0]((m[i] - x[i, j]) ** 2); }
export fn l(x: f32[M, N]) -> (y: f32[M]) { let m[i] = max[j](x[i, j]); y[i] = log(sum[j](exp(x[i, j] - m[i]))) + m[i]; }' >pairs.td
for n in 's M=3,N=1000' 's M=1,N=1' 's M=5,N=0' 'v M=3,N=1000' 'v M=1,N=1' 'v M=5,N=0' 'w M=4,N=777' 'l M=4,N=3001'; do
    echo "check ${n% *}(${n#* });" | sed 's/=/ = /g; s/,/, /g' >>pairs.td
done
for how in 'serial reg(2) warp(2) lane(32) vec(2)' 'serial reg(1)' 'reg(32) warp(4) lane(32)' 'serial reg(4) lane(32) vec(4)'; do
    for fn in s v w l; do echo "program $fn"; echo "$([ $fn = l ] && echo y || echo m): i = grid; j = $how; online"; done >online
    "$tdc" check pairs.td --emu --schedules=online --inputs=all >out 2>&1
    same "online, $how" "$? $(tail -n 1 out)" '0 32 passed, 0 failed'
done
printf '%s\n' 'program s' 'm: i = grid thread(64); j = serial reg(1); online' >online
"$tdc" pairs.td --schedules=online --dump=choose --stop-after=choose >out 2>&1
same 'online, as it is printed' "$(sed -n 2p out)" '  m: i = grid thread(64); j = serial reg(1); online'
# ... over ranges that are data, which end loops as other folds do: of whole numbers, of keys in order, of short and long ones
echo 'export fn r(x: f32[T], off: i64[B + 1]) -> (m: f32[B], z: f32[B]) {
    assume 0 <= off[b] && off[b] <= T; assume off[b] <= off[b + 1];
    m[b] = max[t in off[b]..off[b + 1]](x[t]); z[b] = sum[t in off[b]..off[b + 1]](exp(x[t] - m[b])); }
export fn k(x: f32[T], key: i32[T]) -> (m: f32[B], z: f32[B]) {
    assume 0 <= key[t] && key[t] < B; assume key[t] <= key[t + 1];
    m[b] = max[t where key[t] == b](if x[t] > 0 then x[t] else -inf); z[b] = sum[t where key[t] == b](exp((if x[t] > 0 then x[t] else -inf) - m[b])); }
check r(T = 900, B = 40); check r(T = 2000, B = 3); check r(T = 0, B = 5); check r(T = 3, B = 70);
check k(T = 900, B = 40); check k(T = 2000, B = 3); check k(T = 1, B = 1); check k(T = 3, B = 70);' >ranges.td
for how in 'b = grid thread(64); t = serial reg(1)' 'b = grid thread(32); t = serial reg(4)' 'b = grid warp(2) lane(8); t = serial reg(2) lane(4)'; do
    for fn in r k; do echo "program $fn"; echo "m: $how; online"; done >online
    "$tdc" check ranges.td --emu --without=chunk --schedules=online --inputs=all >out 2>&1
    same "online, ranges, $how" "$? $(tail -n 1 out)" '0 36 passed, 0 failed'
done
"$tdc" ranges.td --without=chunk --schedules=online -o ranges.cu >out 2>&1
same 'such loops begin and end with their range' "$(grep -c 'for (I [a-z_]* = [a-z_]*first; [a-z_]* < [a-z_]*_stop' ranges.cu)" 2

# no thread has more than one element, so none folds any before the threads meet
{ sed '/^check/d; s/N\]/20]/g; s/f32(N)/20.0/g' pairs.td; for fn in s v w l; do echo "check $fn(M = 3);"; done; } >short.td
for how in 'lane(32)' 'warp(2) lane(32)' 'thread(160)'; do
    for fn in s v w l; do echo "program $fn"; echo "$([ $fn = l ] && echo y || echo m): i = grid; j = $how; online"; done >online
    "$tdc" check short.td --emu --schedules=online --inputs=all >out 2>&1
    same "online, $how" "$? $(tail -n 1 out)" '0 20 passed, 0 failed'
done

# the rows of a thread that lie beyond the end have no ranges that could lengthen its loop
echo 'export fn s(x: f32[T, 3], off: i32[M + 1]) -> (y: f32[M, 3]) { y[i, d] = sum[j where i64(off[i]) <= j && j < i64(off[i + 1])](x[j, d]); }
export fn m(x: f32[T, 3], r: f32[M]) -> (y: f32[M, 3]) { y[i, d] = max[j where i <= j && j <= 3*i - 2 && x[j, d] > r[i]](x[j, d]); }
export fn q(x: f32[T, 3], off: i32[M + 1]) -> (y: f32[M, 3]) { y[i, d] = sum[j in 0..T where i64(off[i]) <= j && j < i64(off[i + 1])](x[j / 4, d]); }
check s(M = 9, T = 100) with off in 0..100; check s(M = 9, T = 16) with off in -3..40; check s(M = 5, T = 1) with off in 0..2;
check q(M = 9, T = 100) with off in 0..100; check q(M = 9, T = 16) with off in -3..40; check m(M = 9, T = 100); check m(M = 9, T = 16);' >cut.td
for how in 'grid thread(8); d = grid; j = serial reg(4)' 'grid lane(8); d = reg(3); j = serial lane(4) reg(2)' 'grid thread(4) reg(2); d = grid; j = serial reg(2)' 'grid thread(8); d = grid; j = serial reg(4) vec(4)'; do
    for fn in s m q; do echo "program $fn"; echo "y: i = $how"; done >rows
    "$tdc" check cut.td --emu --inputs=all --schedules=rows >out 2>&1
    same "cut loops, $how" "$? $(tail -n 1 out)" '0 35 passed, 0 failed'
    "$tdc" cut.td --schedules=rows -o cut.cu >out 2>&1
    echo "$(awk '/^__global__/ { name = $0; sub(/.*cut_/, "", name); sub(/_.*/, "", name) } / j_first = .* : .I.j_first_least;/ { printf "%s ", name }' cut.cu)" >>begin
done
same 'where they begin' "$(tr '\n' '|' <begin)" 's m |s m |s m ||'

# what rows of a thread read alike is loaded once, whatever each of them asks for; ranges stay
echo 'export fn h(x: f16[40, 80], m: bool[96, 40], ids: i32[80]) -> (y: f32[96, 40]) {
    assume -2 <= ids[k] && ids[k] <= 40; y[i, j] = if m[i, j] then 0.25 else min[k where ids[k] == j](max(exp(x[j, k]), x[j, i / 2])); } check h();' >held.td
for how in 'grid reg(4) lane(8)' 'grid lane(8)'; do
    printf '%s\n' 'program h' "y: i = $how; j = grid lane(4) vec(4); k = serial reg(2)" >rows
    "$tdc" held.td --schedules=rows --dump=apply --stop-after=apply >out 2>&1
    grep -o 'x[0-9]* = load x.j, k. .*' out >>loads
    "$tdc" check held.td --emu --schedules=rows >out 2>&1
    same "loads of rows, $how" "$? $(tail -n 1 out)" '0 1 passed, 0 failed'
done
same 'conditions of loads' "$(sed 's/.* if //' loads | tr '\n' '|')" 'i64(ids2) == j|!m1 && i64(ids2) == j|'

# A copied tile's row that is not there is not read, though it would fit one vector with the row before it.
echo 'dim C in 1..=64 hint 32 divisible 8;
export fn copied(x: f32[B, C]) -> (y: f32[C, C]) { y[i, j] = sum[k](x[B - 1 - k, i] * (x[k, j] * 0.5)); } check copied(B = 3, C = 8);' >copied.td
printf '%s\n' 'program copied' 'y: i = grid reg(2); j = grid lane(8) vec(3); k = serial lane(4) reg(8) vec(1); copy x async 1' >rows
"$tdc" check copied.td --emu --schedules=rows >out 2>&1
same 'rows of a copied tile' "$? $(tail -n 1 out)" '0 1 passed, 0 failed'

# What is legal is applied: a number that is always there is loaded before the loop, whose second layout does not read it.
echo 'export fn scaled(x: f32[A], by: f32[]) -> (y: f32[A]) { y[i] = x[i] * (by[] / f32(A)) where i < 2; y[i] = 1 where i >= 2; } check scaled(A = 5);' >scaled.td
printf '%s\n' 'program scaled' 'y: i = serial grid(3) lane(32) warp(3) reg(4) vec(4); relay by plain; other y; i = lane(8) warp(3) lane(4) reg(16)' 'y: i = grid' >rows
"$tdc" check scaled.td --emu --schedules=rows >out 2>&1
same 'a number that is relayed' "$? $(grep -o 'error.E[0-9]*' out | head -n 1)" '1 error[E0906'

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
wrong 2:1 E0904 'online: no reduction' columns 'program f' 'y: j = grid; i = serial reg(4) lane(32); online'
lines=('program softmax')
for n in $(seq 33); do lines+=("when N <= $n" "$whole"); done
wrong 67:1 E0906 '32 versions at most' softmax "${lines[@]}" else "$whole"
# ---- steps ----
echo 'export fn turn(x: bf16[M, N]) -> (y: bf16[N, M]) { y[j, i] = x[i, j]; } check turn(M = 67, N = 131);' >turn.td
map='y: j = grid lane(16) vec(8); i = grid reg(8) warp(8) lane(2); order j' loop='y: j = grid lane(32) vec(8); i = serial grid(7)'
turned='other y; j = reg(4) warp(8) lane(2) vec(2); i = lane(16) vec(8)'
printf '%s\n' 'program turn' "$map; stream x; relay x swizzle; $turned" >own
"$tdc" check turn.td --emu --schedules=own >out 2>&1
same 'a second layout is right' "$? $(tail -n 1 out)" '0 1 passed, 0 failed'
printf '%s\n' 'program turn' "$map; $turned; relay x swizzle; stream x" >mixed
same 'steps in any order' "$("$tdc" turn.td --schedules=mixed --dump=choose --stop-after=choose | tail -n 1)" "  $map; stream x; relay x swizzle; $turned"
wrong 2:1 E0904 'copy z: no tensor of the group has this name' turn 'program turn' "$loop; copy z bulk 2"
wrong 2:1 E0904 'copy y: it is not loaded here' turn 'program turn' "$loop; copy y bulk 2"
wrong 2:1 E0904 'out x: it is not stored here' turn 'program turn' "$loop; out x bulk"
wrong 2:1 E0904 'keep x: another step says the same of it' turn 'program turn' "$loop; stream x; keep x"
wrong 2:1 E0904 'cannot be read at .copy x bulk.' turn 'program turn' "$loop; copy x bulk"
wrong 2:1 E0904 'cannot be read at .copy x slowly 2.' turn 'program turn' "$loop; copy x slowly 2"
wrong 2:1 E0904 'cannot be read at .copy x bulk 17.' turn 'program turn' "$loop; copy x bulk 17"
wrong 2:1 E0904 'cannot be read at .j = grid lane' turn 'program turn' "$map; relay x plain; other y; j = grid lane(2)"
# a row of what the sum scatters would be that of several warps, since it does not depend on axis d
echo 'export fn shares(x: f32[3], k: i64[3]) -> (y: f32[3, 4]) { assume 0 <= k[n] && k[n] < 3; y[k[n], d] += x[n]; }' >shares.td
wrong 2:1 E0906 'd: a warp folds what data scatter' shares 'program shares' \
    'y: i0 = grid serial(1) lane(16); d = serial grid(2) warp(2) lane(2); n = lane(16) vec(1); scatter; order d'
wrong 2:1 E0906 'copy x: it is loaded outside of loops' turn 'program turn' "$map; copy x bulk 2"
wrong 2:1 E0906 'relay x: there is no second layout' turn 'program turn' "$map; relay x plain"
wrong 2:1 E0906 'layout other: its lane factors multiply to 64, not 32' turn 'program turn' "$map; relay x plain; other y; j = warp(4) lane(32)"
wrong 2:1 E0906 'axis i: its grid factor has another stride in layout other' turn 'program turn' \
    "$map; relay x plain; other y; j = warp(8) lane(4) vec(4); i = lane(8) vec(8)"
wrong 2:1 E0906 'store y: the rows of its tile are not contiguous' turn 'program turn' "$loop; out y bulk"
wrong 2:1 E0906 'bytes of shared memory' turn 'program turn' "y: j = grid reg(4) warp(8) lane(32) vec(8); i = serial grid(7); copy x bulk 16"
# what the targets lack
printf '%s\n' 'program turn' "$loop; copy x bulk 2" >w
"$tdc" turn.td --target=sm_80 --schedules=w -o out.cu >log 2>&1
same 'a target without bulk copies' "$? $(grep -c '^w:2:1: error.E0903.: kernel y: a bulk copy, which sm_80 does not have' log)" '1 1'

# known from the conditions before it
printf '%s\n' 'program softmax' 'when N > 512' "$whole" else "$short" >own
"$tdc" softmax.td --schedules=own --dump=choose --stop-after=choose >out 2>&1
same 'else, after the long ones' "$? $(grep -c reg.4. out)" '0 1'
finish
