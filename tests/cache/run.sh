#!/bin/bash
# The cache of what compilers made: what `tdc check` and `tdc run` compile again, and what not; parallel processes; no cache; and that
# the Python package keeps the stand-in's object under the same name.
cd "$(dirname "$0")/../.." || exit 1
TDC=$(realpath "${TDC:-build/tdc}")
. tests/suite.sh
cd "$dir" || exit 1
# The stand-in's own object takes seconds: all of these have that of the cache of all tests.
echo 'export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }
export fn other(x: f32[N]) -> (y: f32[N]) { y[i] = 3 * x[i]; }
check f(N = 5);
check other(N = 6);' >two.td
"$TDC" check two.td --emu >out 2>&1
# There is one for each pair of compilers that tests use, and others run meanwhile: in a copy the newest is that of this one.
mkdir cache every
cp -r "$TDC_CACHE"/stand-in-* every
TDC_CACHE=$dir/every "$TDC" check two.td --emu >out 2>&1
cp -r "$(ls -td every/stand-in-* | head -n 1)" cache
cp cache/stand-in-*/runtime.o kept.o
# compilers of the usual names, which say what they compile
mkdir bin
for c in gcc g++; do
    cat >bin/$c <<END
#!/bin/sh
for a; do
    case \$a in *.cu) cp "\$a" $dir/last.cu ;; */runtime.cpp) made=runtime ;; *.o) out=\$a ;; esac
    case \$a in *.c | *.cu | *.cpp) echo "\${a##*/}" >>$dir/log ;; esac
done
[ -z "\$made" ] || exec cp $dir/kept.o "\$out"
exec $(command -v $c) "\$@"
END
    chmod +x bin/$c
done
export PATH=$dir/bin:$PATH
unset CC CXX
compiled() { # WHAT EXPECTED COMMAND...: the files that it compiles; it must pass
    local what=$1 expected=$2
    shift 2
    : >log
    "$@" >out 2>&1
    same "$what: status" $? 0
    same "$what" "$(sort log | tr '\n' ' ')" "$expected"
}
export TDC_CACHE=$dir/cache
compiled 'first' 'runner.c two.c two.cu ' "$TDC" check two.td --emu
compiled 'second' '' "$TDC" check two.td --emu
compiled 'other options' '' "$TDC" check two.td --emu --brief --inputs=ties
mkdir elsewhere
cp two.td elsewhere
compiled 'another folder' '' "$TDC" check "$dir/elsewhere/two.td" --emu
sed -i 's/3 \*/4 +/' two.td
compiled 'a changed formula' 'two.c two.cu ' "$TDC" check two.td --emu
compiled 'run' 'two.c two.cu ' "$TDC" run two.td f --at N=3 --emu
same 'run compiles its entry alone' "$(grep -c '__global__.*other' last.cu) $(grep -c '__global__.*f' last.cu | sed 's/[1-9].*/some/')" '0 some'
# another machine of the same name chooses other schedules
printf 'tdc machine 1\nmachine m\nlike h200\n' >m.machine
compiled 'a machine that chooses the same' '' "$TDC" check two.td --emu --machine=m.machine
echo 'export fn s(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[j](exp(x[i, j])); } check s(M = 9, N = 70);' >sums.td
compiled 'for one machine' 'sums.c sums.cu ' "$TDC" check sums.td --emu --machine=m.machine
echo 'sms 2 multiprocessors "few"' >>m.machine
compiled 'for another of its name' 'sums.c sums.cu ' "$TDC" check sums.td --emu --machine=m.machine
compiled 'run at another size' '' "$TDC" run two.td f --at N=30 --emu
compiled 'a relative folder' 'runner.c runtime.cpp two.c two.cu ' env TDC_CACHE=new/cache "$TDC" check two.td --emu
same 'whole folders' "$(ls new/cache | sed 's/-[0-9a-f]*$//' | sort | uniq -c | tr -s ' \n' ' ')" ' 3 object 1 program 1 stand-in '
same 'only for its owner' "$(stat -c %a new/cache/* | sort -u)" 700
# no cache, and one that cannot be
before=$(find "$dir" -path "$dir/bin" -prune -o -print | sort)
TDC_CACHE=none "$TDC" check two.td --emu >out 2>&1
same 'no cache' "$? $(tail -n 1 out) $(diff <(echo "$before") <(find "$dir" -path "$dir/bin" -prune -o -print | sort))" '0 2 passed, 0 failed '
TDC_CACHE=/proc/nowhere "$TDC" check two.td --emu >out 2>&1
same 'no such folder' "$? $(tail -n 1 out)" '0 2 passed, 0 failed'
HOME=$dir/home XDG_CACHE_HOME= TDC_CACHE= "$TDC" run two.td f -DN=3 --emu >out 2>&1
same 'in the home' "$? $(ls home/.cache/tdc | wc -l)" '0 5'
# compilers as make takes CC: a command and its first arguments. This command notes that it was called.
printf '#!/bin/sh\necho "$1" >>%s/called\nexec "$@"\n' "$dir" >bin/through
chmod +x bin/through
CC="$dir/bin/through  gcc" CXX="through g++ -DUNUSED" TDC_CACHE=none "$TDC" check two.td --emu >out 2>&1
same 'compilers of several words' "$? $(tail -n 1 out) $(sort -u called | tr '\n' ' ')" '0 2 passed, 0 failed g++ gcc '
rm called
# many at once
rm -r cache/object-* cache/program-*
for i in 1 2 3 4; do "$TDC" check two.td --emu >out$i 2>&1 & done
wait
same 'four at once' "$(tail -qn 1 out[1-4] | uniq -c | tr -s ' ') $(ls -d cache/new-* 2>/dev/null)" ' 4 2 passed, 0 failed '
# Python
for python in python3 /usr/bin/python3; do
    $python -c 'import numpy' 2>/dev/null || continue
    TDC=$TDC PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$project/python $python -c 'import tdlang; tdlang.build("two.td", target="stand-in")' >out 2>&1
    same 'Python' "$? $(ls -d cache/stand-in-* | wc -l)" '0 1'
    CC='through gcc' CXX='through g++' TDC_CACHE=none TDC=$TDC PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$project/python \
        $python -c 'import tdlang; tdlang.build("two.td", target="stand-in")' >out 2>&1
    same 'Python, compilers of several words' "$? $(sort -u called | tr '\n' ' ')" '0 g++ gcc '
    break
done
finish
