#!/bin/bash
# The same bytes from any folder: one program, with everything that names a file, compiled in two folders, by relative and by absolute
# paths. What is written has no folder in it; rules for make have.
cd "$(dirname "$0")/../.." || exit 1
TDC=$(realpath "${TDC:-build/tdc}")
. tests/suite.sh
one=$dir/one two="$dir/two/with a space/deep"
mkdir -p "$one/lib/more" "$one/out"
cat >"$one/lib/act.td" <<'END'
export fn gate(x: f32[N]) -> (y: f32[N]) { require N < 1000000, "gate: too many"; y[i] = x[i] / (1 + exp(-x[i])); }
END
echo 'fn twice(x: f32) -> f32 = 2 * x;' >"$one/lib/more/more.td"
cat >"$one/model.td" <<'END'
import "./lib/act.td";
import "more";
export fn take(x: f32[N], k: i32[M]) -> (y: f32[M]) {
    assume 0 <= k[j] && k[j] < N;
    assume x[i] < 100.0;
    y[j] = twice(x[k[j]]);
}
export fn dense(x: bf16[M, K], w: bf16[K, N]) -> (y: bf16[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); }
export g = gate();
check dense(M = 8, K = 16, N = 8);
END
echo 'tdc tuning 1
product target=sm_90a factors=bf16 result=bf16 sum=f32 m=8 n=8 k=16 a=row b=row : algo=3' >"$one/my.tuning"
(cd "$one" && "$TDC" model.td -I lib/more --dump=kernels | sed -n '/^program take/,/^}$/p' >take.kernel)
mkdir -p "$(dirname "$two")" && cp -r "$one" "$two"
options=(--emit=cu,c,h,manifest,driver --debug-checks --prefix=net -DK=16 -MD)
(cd "$one" && "$TDC" model.td -o out/m.cu -I lib/more --tuning=my.tuning --kernels take.kernel -MF out/m.d "${options[@]}") >"$dir/log" 2>&1
verdict $? "relative paths: $(cat "$dir/log")"
(cd / && "$TDC" "$two/model.td" -o "$two/out/m.cu" -I "$two/lib/more/" "--tuning=$two/my.tuning" --kernels "$two/take.kernel" -MF "$two/out/m.d" \
    "${options[@]}") >"$dir/log" 2>&1
verdict $? "absolute paths: $(cat "$dir/log")"
same 'the files' "$(cd "$one/out" && echo *)" "m.c m.cu m.d m.h m.json m.mk m_main.c"
for f in m.c m.cu m.h m.json m.mk m_main.c; do
    cmp "$one/out/$f" "$two/out/$f" >"$dir/log" 2>&1
    verdict $? "$f: $(cat "$dir/log")"
    ! grep -nE 'lib/|out/|one/|with a space|/tmp' "$one/out/$f" >"$dir/log"
    verdict $? "$f has a folder: $(cat "$dir/log")"
done
for f in m.cu m.c m.h m.json; do
    grep -qF 'tdc model.td -o m.cu -I more --tuning=my.tuning --kernels take.kernel -MF m.d --emit=cu,c,h,manifest,driver --debug-checks' "$one/out/$f"
    verdict $? "$f does not say what made it"
done
same 'the place of an assumption' "$(grep -o '[^ ("]*model.td:[0-9]*' "$one/out/m.c" | sort -u | tr '\n' ' ')" 'model.td:4 model.td:5 '
grep -q ' lib/act.td' "$one/out/m.d" && grep -qF "$(sed 's/ /\\ /g' <<<"$two")/lib/act.td" "$two/out/m.d"
verdict $? 'rules for make have no paths'
# the outputs' folder differs from the source's: the folder is in no name
(cd "$one/out" && "$TDC" ../model.td -I ../lib/more --emit=cu,c,h >"$dir/log" 2>&1 && cmp -s <("$TDC" ../model.td -I "$one/lib/more" -o - --emit=h) \
    <(sed 's/ --emit=cu,c,h$/ -o - --emit=h/; s,-I more --emit=cu\,c\,h,-I more -o - --emit=h,' model.h))
verdict $? "-o -: $(cat "$dir/log")"
finish
