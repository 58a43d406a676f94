#!/bin/bash
# make.sh TDC: -MD and its kin in a makefile: what is made again, and when.
TDC=$1
root=$PWD
. tests/suite.sh
cd "$dir" || exit 1

# ---- the text ----
mkdir lib
echo 'import "./two.td"; fn one(x: f32) -> f32 = two(x);' >lib/one.td
echo 'import "nn"; fn two(x: f32) -> f32 = relu(x);' >lib/two.td
echo 'import "one"; export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = one(x[i]); }' >m.td
"$TDC" m.td --dump=kernels -I lib >m.kernel
nn=$(realpath "${TDC_HOME:-$root}/stdlib/nn.td")
rule() { # ARGUMENTS...: the rule of this compilation, on one line
    rm -f out.d
    "$TDC" m.td -I lib -MD -MF out.d "$@" || echo "status $?"
    [ -e out.d ] && sed -e ':a' -e '/\\$/{N;s/ *\\\n */ /;ba' -e '}' out.d
}
same 'imports' "$(rule -o m.cu)" "m.cu m.c m.h: m.td lib/one.td lib/two.td $nn"
same 'a kernel' "$(rule -o m.cu --emit=h --kernels m.kernel)" "m.h: m.td lib/one.td lib/two.td $nn m.kernel"
echo 'tdc tuning 1' >t.tuning
same 'a tuning file' "$(rule -o m.cu --emit=h --tuning t.tuning)" "m.h: m.td lib/one.td lib/two.td $nn t.tuning"
same '-MT' "$(rule -o m.cu -MT 'a $x' -MT b -MQ 'c $y')" "a \$x b c\\ \$\$y: m.td lib/one.td lib/two.td $nn"
same '-MP' "$(rule -o m.cu -MP | tail -n +2 | tr '\n' ' ')" " lib/one.td:  lib/two.td:  $nn: "
rm -f m.d
"$TDC" m.td -I lib -MD -o m.cu && [ -e m.d ]
verdict $? 'no m.d without -MF'
awk 'length > 100 { exit 1 }' m.d
verdict $? 'a long line'
"$TDC" m.td -I lib -o m.cu -MD -MF m.h 2>&1 | grep -q 'are one file'
verdict $? '-MF over an output'
"$TDC" m.td -I lib -o m.cu -MD -MF lib/one.td 2>&1 | grep -q 'is a source of this'
verdict $? '-MF over an import'
"$TDC" m.td -I lib -o m.cu --tuning t.tuning -MD -MF t.tuning 2>&1 | grep -q 'is a source of this'
verdict $? '-MF over the tuning file'

# ---- a makefile ----
cat >Makefile <<END
all: m.cu m.c m.h
m.cu m.c m.h &: m.td
	"$TDC" m.td -I lib -o m.cu --tuning t.tuning -MD -MP
-include m.d
END
made() { make 2>&1 | grep -c -- '-MD'; } # how often tdc runs
older() { find . -exec touch -h -d '1 minute ago' {} +; }
rm -f m.cu m.c m.h m.d
same 'the first make' "$(made)" 1
same 'the second make' "$(made)" 0
for f in m.td lib/one.td lib/two.td t.tuning; do
    older
    touch $f
    same "after a change of $f" "$(made) $(made)" '1 0'
done
older
rm m.h
same 'after m.h is gone' "$(made) $(made)" '1 0'
older
sed -i 's/import "nn"; //; s/relu(x)/x/' lib/two.td
make >/dev/null 2>&1
grep -q nn.td m.d
same 'an import that is none any more' $? 1
older
echo 'fn one(x: f32) -> f32 = x;' >lib/one.td
rm lib/two.td
same 'an import that is gone' "$(made) $(made)" '1 0'
# a failing compile keeps all, and the next one goes on from there
older
cp -p m.d kept.d
echo 'fn one(x: f32) -> f32 = ;' >lib/one.td
make >/dev/null 2>&1
same 'a failing compile' "$? $(cmp m.d kept.d && ls m.cu m.c m.h | wc -l)" '2 3'
echo 'fn one(x: f32) -> f32 = x;' >lib/one.td
same 'mended' "$(made) $(made)" '1 0'
finish
