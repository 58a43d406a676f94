#!/bin/bash
# Tuning files: what `tdc tune` writes on the stand-in, whose library has algorithms of known speed (backend_cuda/emu/README.md); which of
# them a model compiled with the file runs; and what is said of files that are wrong.
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-build/tdc}")
emu=$PWD/backend_cuda/emu here=$PWD/tests/tuning
export TDC_HOME=${TDC_HOME:-$PWD}
. tests/suite.sh
quick_compilers
cd "$dir" || exit 1
stand_in_object runtime.o &
cp "$here"/*.td .

# ---- what tune writes ----
layer='product target=emu factors=bf16 result=bf16 sum=f32 m=32 n=24 k=64 a=row b=row bias=row act=relu'
small='product target=emu factors=bf16 result=bf16 sum=f32 m=32 n=24 k=8 a=row b=row bias=row act=relu'
heads='product target=emu factors=f16 result=f16 sum=f32 m=16 n=8 k=32 batch=3 a=row b=col c=d'
text() { sed 's/ *#.*//' "$1"; } # without comments
"$tdc" tune model.td --emu -o t.tuning >log 2>&1
same 'tune' "$? $(tail -n 1 log)" '0 3 products on the CPU stand-in, 2 tuned: t.tuning'
# algorithm 3 is the fastest, but its relu loses NaN; 4 passes the check and does not run
same 'the file' "$(text t.tuning)" "tdc tuning 1
$heads : algo=3
$layer : algo=2 splitk=2 reduction=compute"
same 'what they took' "$(grep -c '# [0-9.]* us; the library.s own choice [0-9.]* (cublasLt 130000)$' t.tuning)" 2
# merged into what is there: comments stay before their lines, lines of other products stay, what is no longer faster goes
cat >merged.tuning <<END
tdc tuning 1
# a head

# the small one
$small : algo=2
# ours
$layer : algo=5 # old
# at the end
END
"$tdc" tune model.td layer --emu -o merged.tuning >log 2>&1
same 'merged' "$? $(sed 's/ # [0-9].*//' merged.tuning)" "0 tdc tuning 1
# a head

# the small one
# ours
$layer : algo=2 splitk=2 reduction=compute
# at the end"
cp -p merged.tuning before
"$tdc" tune model.td layer --emu -o merged.tuning >log 2>&1
same 'again' "$? $(cmp merged.tuning before) $(find merged.tuning -newer before)" '0  '
"$tdc" tune model.td heads --emu --at G=3,M=16 --at=K=8 -DN=8 -o merged.tuning >log 2>&1
same 'nothing found' "$? $(grep -c 'nothing is faster' log) $(cmp merged.tuning before)" '0 1 '
echo 'tdc tuning 1
product m=4' >bad.tuning
"$tdc" tune model.td --emu -o bad.tuning >log 2>&1
same 'into a file that is wrong' "$? $(grep -o '^bad.tuning:2:1: error.E1101.' log) $(sed -n 2p bad.tuning)" '1 bad.tuning:2:1: error[E1101] product m=4'
refused() { # STATUS WORDS ARGUMENTS...
    local status=$1 words=$2
    shift 2
    "$tdc" "$@" >log 2>&1
    same "tdc $*" "$? $(grep -c "$words" log)" "$status 1"
}
refused 2 'needs -o' tune model.td --emu
refused 2 'tuning belongs to compiling, check, run, explain and bench' tune model.td --tuning=x -o y
refused 1 "did you mean layer" tune model.td lyer --emu -o y
refused 1 'no export has this dimension or scalar' tune model.td --emu -DX=3 -o y
refused 1 'give sizes with --at' tune other.td dense --emu --at R=-3 -o y
refused 1 'may not be -3' tune other.td dense --emu -DR=-3 -o y
echo 'dim M hint 32; dim N hint 24; dim K hint 64; export fn f(x: bf16[M, K], w: bf16[K, N]) -> (y: bf16[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); }' >hints.td
"$tdc" tune hints.td --emu -o hints.tuning >log 2>&1
same 'sizes by hints' "$? $(grep -o ' m=.*k=[0-9]*' hints.tuning)" '0  m=32 n=24 k=64'
sed -i 's/dim K hint 64;//' hints.td
refused 1 'no size for K: neither --at nor a bench line, a check line or a hint says it' tune hints.td --emu -o y
refused 1 'bench f(M = ..., K = ..., N = ...)' tune hints.td --emu -o y
# sizes that -D does not give are those of the file's lines
"$tdc" tune model.td layer --emu -D M=64 -o sizes.tuning >log 2>&1
same '-D beside bench lines' "$? $(grep -o ' m=[0-9 nk=]*' sizes.tuning | sed 's/ *$//' | tr -d '\n')" '0  m=64 n=24 k=64'
refused 0 'has nothing to tune; nothing is written' tune model.td --library=none --only=products --emu -o y
refused 0 'has nothing to tune; nothing is written' tune model.td --only=schedules --emu -o y
refused 2 'knows products and schedules, not .kernels' tune model.td --only=kernels --emu -o y
refused 1 'error.E0003.*missing.tuning' model.td --tuning missing.tuning
same 'no file of these' "$(ls y 2>&1)" "ls: cannot access 'y': No such file or directory"

# ---- what runs ----
wait
"$CXX" -std=c++17 -w -I "$emu" -x c++ -c -o kernels.o <("$tdc" model.td --target=emu --dump=lower --prefix=model) || exit 1
"$tdc" model.td --target=emu --prefix=model -o model.cu && gcc -std=c99 -O1 -isystem "$emu" -c -o main.o "$here/main.c" -I . || exit 1
build() { # TUNING [OPTION]
    "$tdc" model.td "${2:---target=emu}" --prefix=model --tuning "$1" -o model.cu &&
        gcc -std=c99 -O1 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -isystem "$emu" -c -o host.o model.c &&
        g++ -pthread -o main main.o host.o kernels.o runtime.o
}
line() { printf 'tdc tuning 1\n%s\n' "$1" >one.tuning && build one.tuning "${@:2}"; }
build t.tuning
same 'the tuned product' "$(./main 32 24 64 0)" 'right: 0 2 0 0 0, 0 kernels, 0 bytes'
same 'one of another size' "$(./main 32 24 8 0)" 'right: 2 0 0 0 0, 0 kernels, 0 bytes'
same 'less aligned: the kernel, for relu' "$(./main 32 24 64 1)" 'right: 0 0 0 0 0, 2 kernels, 0 bytes'
line "$layer align=32 : algo=2"
same 'aligned enough' "$(./main 32 24 64 0)" 'right: 0 2 0 0 0, 0 kernels, 0 bytes'
same 'not aligned enough' "$(./main 32 24 64 8)" 'right: 2 0 0 0 0, 0 kernels, 0 bytes'
line "$layer align=4 : algo=2
$layer align=64 : algo=5
$layer : algo=1"
same 'the line of the largest alignment' "$(./main 32 24 64 0)" 'right: 0 0 0 0 2, 0 kernels, 4096 bytes'
same 'the next one' "$(./main 32 24 64 8)" 'right: 2 0 0 0 0, 0 kernels, 4096 bytes'
for choice in algo=9 algo=99 'algo=2 cluster=7' 'algo=3 splitk=2 reduction=compute' algo=4; do
    line "$layer : $choice"
    same "the library refuses $choice" "$(./main 32 24 64 0)" 'right: 2 0 0 0 0, 0 kernels, 0 bytes'
done
# a line is for the device that it was measured on, whichever code that runs
line "${layer/emu/sm_90a} : algo=2
${layer/emu/sm_80} : algo=5" --target=sm_80,sm_90a
same 'the line of sm_90a' "$(./main 32 24 64 0)" 'right: 0 2 0 0 0, 0 kernels, 0 bytes'
same 'the line of sm_80' "$(TD_EMU_DEVICE=8.0 ./main 32 24 64 0)" 'right: 0 0 0 0 2, 0 kernels, 4096 bytes'
same 'no line of the device' "$(TD_EMU_DEVICE=12.0 ./main 32 24 64 0)" 'right: 2 0 0 0 0, 0 kernels, 0 bytes'
# each product of kinds.td meets the line that was written for it
"$tdc" tune kinds.td --emu -o kinds.tuning >log 2>&1
same 'tune every kind' "$? $(tail -n 1 log)" '0 11 products on the CPU stand-in, 11 tuned: kinds.tuning'
"$tdc" kinds.td --target=emu --prefix=model --tuning kinds.tuning -o model.cu && gcc -std=c99 -O1 -isystem "$emu" -c -o host.o model.c &&
    "$CXX" -std=c++17 -w -I "$emu" -x c++ -c -o kinds.o model.cu &&
    gcc -std=c11 -O1 -isystem "$emu" -c -o main.o "$here/../explain/main.c" -I . && g++ -pthread -o main main.o host.o kinds.o runtime.o
while read -r _ entry sizes; do
    sizes=$(sed 's/, s = .*//; s/[A-Z] = //g; s/[,;)]//g' <<<"$sizes")
    # shellcheck disable=SC2086 # a list of numbers
    same "$entry $sizes: no kernel, and no call of the library's own choice" "$(./main $entry $sizes | awk '{ print ($2 == 0 && $3 > 0 && $6 == $3) }')" 1
done < <(grep '^check' kinds.td | tr '(' ' ')
"$tdc" check model.td --target=emu --tuning t.tuning >log 2>&1
same 'check' "$? $(tail -n 1 log)" '0 3 passed, 0 failed'

# ---- what is emitted ----
body() { sed '1,/\*\//d' "$1"; } # without the command line
"$tdc" model.td --target=emu --prefix=model -o plain.cu && sed -i 's/plain.h/model.h/' plain.c
echo 'tdc tuning 1' >empty.tuning
echo "tdc tuning 1
${layer/act=relu/act=gelu} : algo=2
${layer/n=24/n=24 batch=2} : algo=2
${layer/k=64/k=60} : algo=2
${layer/b=row/b=col} : algo=2
${layer/factors=bf16 result=bf16/factors=f16 result=f16} : algo=2" >none.tuning
for f in empty none; do
    "$tdc" model.td --target=emu --prefix=model --tuning $f.tuning -o model.cu
    same "no line for the model ($f)" "$(body model.c | cmp - <(body plain.c)) $(grep -c td_tuned model.c)" ' 0'
done
for i in 1 2; do "$tdc" model.td --target=emu --prefix=model --tuning t.tuning -o model.cu && cat model.cu model.c model.h >bytes$i; done
g++ -std=c++17 -x c++ -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -isystem "$emu" -c -o host.o model.c
same 'as C++17' $? 0
same 'the same bytes' "$(cmp bytes1 bytes2) $(grep -c '^    {{CUDA' model.c)" ' 2'
(text t.tuning | head -n 1; text t.tuning | tail -n +2 | tac | sed 's/ a=row \(.*\) : / \1 a=row:&/; s/a=row: a=row .* : / a=row : /') >turned.tuning
"$tdc" model.td --target=emu --prefix=model --tuning turned.tuning -o turned.cu
same 'another order of lines and words' "$(body turned.c | sed 's/turned.h/model.h/' | cmp - <(body model.c))" ''
"$tdc" other.td --target=emu --tuning t.tuning -o other.cu
same 'a file for two models' "$(grep -c '^    {{CUDA' other.c) $("$tdc" check other.td --target=emu --tuning t.tuning | tail -n 1)" '1 2 passed, 0 failed'
"$tdc" other.td --target=emu -DR=64 --tuning t.tuning -o other.cu
same 'a dimension with another value' "$(grep -c td_tuned other.c)" 0
same 'explain' "$("$tdc" explain other.td --target=emu --tuning t.tuning | grep -c 'tuned by t.tuning:3$')" 1
same 'with --emit=driver' "$("$tdc" other.td --target=emu --tuning t.tuning --emit=cu,c,h,driver -o other.cu; grep -c 't.tuning' other.mk)" 1

# ---- figures of the stand-in are for no GPU ----
if [ ! -e /dev/nvidiactl ]; then
    refused 3 'tdc: tune measures on a GPU, and this machine has no NVIDIA GPU: run it where' tune model.td -o y
    refused 3 'tdc: tune measures on a GPU, and this machine has no NVIDIA GPU: run it where' tune model.td --gpu -o y
fi
refused 2 'writes lines of --target=emu alone' tune model.td --emu --target=sm_90a -o y
refused 2 'target=emu and --gpu exclude each other' tune model.td --gpu --target=emu -o y
refused 2 'target=emu and --gpu exclude each other' check model.td --gpu --target=emu
refused 2 'goes with no other target' model.td --target=sm_90a --target=emu
for command in '' check explain; do
    # shellcheck disable=SC2086 # no word or one
    refused 1 't.tuning:2:1: error.E1102.: target=emu: a line of the CPU stand-in, whose times are invented' $command model.td --tuning t.tuning
done
"$tdc" model.td --target=emu --tuning t.tuning -o model.cu
gcc -std=c99 -UTD_EMU -E -isystem "$emu" model.c >/dev/null 2>log
same 'the stand-in compiles it' $? 0
sed 's/^#define TD_EMU.*//' "$emu/cuda_runtime.h" >cuda_runtime.h
sed 's/^#define TD_EMU.*//' "$emu/cuda_runtime_api.h" >cuda_runtime_api.h
gcc -std=c99 -E -I . -isystem "$emu" model.c >/dev/null 2>log
same 'a GPU does not' "$? $(grep -c 'error: #error made with --target=emu' log)" '1 1'
rm cuda_runtime.h cuda_runtime_api.h
sed 's/target=emu/target=sm_90a/' t.tuning >gpu.tuning
"$tdc" model.td --target=emu --tuning gpu.tuning -o model.cu
same 'lines of a GPU are not for the stand-in' "$? $(grep -c td_tuned model.c)" '0 0'
"$tdc" model.td --tuning gpu.tuning -o model.cu
same 'but for the GPU' "$? $(grep -c '^    {{CUDA' model.c) $(grep -c 'target=emu' model.c)" '0 2 0'

# ---- files that are wrong: one error each, with its place, and no output ----
rm -f out.*
wrong() { # CODE LINE WORDS FILE: the error is at the last of these words
    printf '%s\n' "$4" >w.tuning
    local line at
    line=$(sed -n "$2p" w.tuning)
    at=${line%"$3"*}
    "$tdc" model.td --target=emu --tuning w.tuning -o out.cu >log 2>&1
    same "$4" "$? $(grep -c 'error\[' log) $(grep -o "^w.tuning:[0-9:]* error.$1." log) $(ls out.* 2>/dev/null)" \
        "1 1 w.tuning:$2:$((${#at} + 1)): error[$1] "
}
good="$layer : algo=2"
wrong E1100 1 '' ''
wrong E1100 1 product "$good"
wrong E1100 1 tdc 'tdc tuning 2'
wrong E1100 1 tdc 'tdc tuning 1 2'
wrong E1101 2 kernel "tdc tuning 1
kernel x"
wrong E1101 3 product "tdc tuning 1
# the algorithm is missing
$layer"
wrong E1101 2 algo=2 "tdc tuning 1
$layer algo=2"
wrong E1101 2 algo=3 "tdc tuning 1
$good algo=3"
wrong E1101 2 m=3 "tdc tuning 1
$good m=3"
wrong E1101 2 stage "tdc tuning 1
$good stage=3"
wrong E1102 2 "0 n=" "tdc tuning 1
${good/m=32/m=0}"
wrong E1102 2 99999999999999999999 "tdc tuning 1
${good/m=32/m=99999999999999999999}"
wrong E1102 2 sm_8 "tdc tuning 1
${good/target=emu/target=sm_8}"
wrong E1102 2 row:1:2:3 "tdc tuning 1
${good/a=row/a=row:1:2:3}"
wrong E1102 2 none "tdc tuning 1
${good/a=row/a=none}"
wrong E1102 2 product "tdc tuning 1
${good/sum=f32/sum=i32}"
wrong E1102 2 -1 "tdc tuning 1
${good/algo=2/algo=-1}"
wrong E1102 2 65536 "tdc tuning 1
$good cluster=65536"
wrong E1103 2 inplace "tdc tuning 1
$good reduction=inplace"
wrong E1103 2 product "tdc tuning 1
$good splitk=4"
wrong E1104 4 product "tdc tuning 1
$good
$heads : algo=1
$good"
head -c 3000 /dev/urandom >noise.tuning
(echo 'tdc tuning 1'; cat noise.tuning) >after.tuning
for f in noise after; do
    timeout 5 "$tdc" model.td --target=emu --tuning $f.tuning -o out.cu >log 2>&1
    same "random bytes ($f)" "$? $(ls out.* 2>/dev/null)" '1 '
done
finish
