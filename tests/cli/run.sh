#!/bin/bash
# The command line: exit statuses, what is said, and which files appear.
cd "$(dirname "$0")/../.." || exit 1
TDC=$(realpath "${TDC:-build/tdc}")
. tests/suite.sh
quick_compilers
# says STATUS PATTERN ARGUMENTS...: tdc exits with STATUS and says PATTERN
says() {
    local status=$1 pattern=$2 out got
    shift 2
    out=$(cd "$dir" && "$TDC" "$@" 2>&1)
    got=$?
    [ $got = "$status" ] && grep -qE -- "$pattern" <<<"$out"
    verdict $? "tdc $* : status $got, expected $status with /$pattern/: $out"
}
# files NAMES...: exactly these are in the folder `out`
files() {
    local got
    got=$(cd "$dir/out" && ls -A | tr '\n' ' ')
    [ "$got" = "$([ $# = 0 ] || printf '%s\n' "$@" | sort | tr '\n' ' ')" ]
    verdict $? "files: $got, expected $*"
    rm -rf "$dir/out"
    mkdir "$dir/out"
}

mkdir "$dir/out"
cp samples/softmax.td tests/glue/model.kernel "$dir"
echo 'export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[j]; }' >"$dir/wrong.td"
echo 'fn f(x: f32) -> f32 = x;' >"$dir/none.td"
echo 'export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }' >"$dir/f.td"
echo 'export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; } export fn f_workspace(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }' >"$dir/collide.td"
head -c 100 /dev/urandom >"$dir/noise.td"
: >"$dir/empty.td"

# usage
says 0 '^usage: tdc' --help
says 0 'apply +kernels' --help
says 0 '^- share +plan' --help
says 0 '^tdc [0-9]' --version
says 0 '^tdc [0-9]' -v
for help in -h help '--library=none help'; do
    # shellcheck disable=SC2086 # words
    says 0 '^usage: tdc FILE.td -o model.cu ' $help
done
for help in 'help check' 'check --help' 'check -h' '-h check' 'check softmax.td --emu --help'; do
    # shellcheck disable=SC2086
    says 0 '^usage: tdc check FILE.td' $help
    # shellcheck disable=SC2086
    [ "$("$TDC" $help | grep -cE '^  (--smallest|--emu|-I|-o|-D|--emit|--interp) ')" = 4 ]
    verdict $? "tdc $help lists what check does not take, or not what it takes"
done
for c in check run explain bench tune; do
    says 0 "^usage: tdc $c FILE.td" help $c
    says 0 "^       tdc $c FILE.td" help
done
says 2 "unknown command 'chek' .did you mean 'check'" help chek
says 2 "unknown option '--bogus'" help --bogus
says 2 "unknown command 'frobnicate'" frobnicate
says 0 '^E0300|E0300' --explain list
says 0 'summation' --explain E0300
says 2 'no error has the code' --explain E9999
says 0 '^E0711: ' --explain E0602,E0711
says 2 "no error has the code 'E9999'" --explain E0602,E9999
says 2 "no error has the code ''" --explain E0602,
says 2 'no file is given'
says 2 "did you mean '--dump'" --dmp=ast softmax.td
says 2 "did you mean '--stop-after'" --stop-aftr=parse softmax.td
says 2 "did you mean 'partition'" --dump=partitio softmax.td
says 2 "nothing works without lower: --without knows simplify, sort, chunk, share" --without=lower softmax.td
says 2 '-D needs NAME=VALUE' -D 8 softmax.td
says 2 'is no number' -D M=x softmax.td
says 2 'given twice' -D M=1 -D M=2 softmax.td
says 2 'needs FILE' softmax.td -o
says 2 'C identifier' --prefix=a-b softmax.td
says 2 '--emit knows' --emit=cu,x softmax.td
says 2 'takes no value' --time-passes=1 softmax.td
says 2 'is too many' softmax.td softmax.td
says 2 'is no .td, .graph or .kernel file' softmax.txt
says 2 "needs the entry" run softmax.td
says 2 '--in belongs to run' softmax.td --in x=x.npy
says 2 '--out belongs to run' explain softmax.td --out y=y.npy
says 2 'is too many' explain softmax.td softmax other
# options before the command
says 0 '^softmax.M = 16384, N = 4096.: 1 launch' --library=none explain softmax.td
says 0 '^softmax.M = 5, N = 4096.: 1 launch' -D M=5 -Wperf explain softmax.td softmax
says 2 '^tdc: -o belongs to compiling' -o out/a.cu check softmax.td
says 2 'is too many' softmax.td explain
says 2 "did you mean 'explain'" explian softmax.td
says 1 "softmax.td has no entry 'other'" explain softmax.td other
says 1 'its entries are softmax$' explain softmax.td other
says 1 "no export has this dimension or scalar" explain softmax.td -D K=3
says 1 "no export has this dimension or scalar" explain softmax.td --at K=3
says 1 "softmax has no such dimension or scalar" explain softmax.td softmax --at K=3
says 1 "not a value that it can have" explain softmax.td --at N=-1
says 1 "N may not be -1" explain softmax.td -D N=-1
says 1 "a whole number" explain softmax.td -D N=1.5
says 1 "a whole number" explain softmax.td --at N=1.5
says 1 "a whole number" softmax.td -D N=1.5
says 0 '^softmax.M = 5, N = 3.: 1 launch' explain softmax.td softmax --at M=5,N=3
says 0 '^   M, N by --at$' explain softmax.td softmax --at M=5 --at N=3
says 0 '^   N fixed; M by --at$' explain softmax.td softmax --at M=5 -D N=3
says 0 '2 launches' explain model.kernel
says 2 "unknown command 'chekc' .did you mean 'check'" chekc softmax.td
says 2 "did you mean '-Wperf'" softmax.td -Wpref
says 2 'names an output, not a source' softmax.td -o softmax.td
says 2 "the kernels' file" softmax.td -o out/a.h
says 2 "the kernels' file" softmax.td -o out/a.c
says 1 'No such file' missing.td -o out/a.cu
mkdir "$dir/folder.td"
says 1 'Is a directory' folder.td -o out/a.cu
# an output that is a source by another name
cp "$dir/softmax.td" "$dir/kept.td"
ln -s ../kept.td "$dir/out/a.cu"
ln "$dir/kept.td" "$dir/out/b.cu"
says 2 'is a source of this compilation' kept.td -o out/a.cu
says 2 'is a source of this compilation' kept.td -o out/b.cu
cmp -s "$dir/softmax.td" "$dir/kept.td"
verdict $? 'a source was overwritten'
files a.cu b.cu

# every option: its value missing or empty, a value too many, a letter too many
while read -r option value; do
    if [ -n "$value" ]; then
        says 2 "^tdc: $option needs .*; see tdc --help" softmax.td "$option"
        says 2 "^tdc: $option needs " softmax.td "$option" ''
        case $option in --*) says 2 "^tdc: $option needs " softmax.td "$option=" ;; esac
    else
        case $option in --*) says 2 "^tdc: $option takes no value" softmax.td "$option=1" ;; esac
    fi
    case $option in --*) says 2 "^tdc: unknown option '${option}s' .did you mean '$option'" softmax.td "${option}s" ;; esac
done < <("$TDC" --help | sed -nE '/^options:/,/^passes:/s/^  (--?[A-Za-z-]+)[= ]?([^ ]*) .*/\1 \2/p')

# options twice, and those that exclude each other
says 2 '^tdc: -o is given twice' softmax.td -o out/a.cu -o out/b.cu
says 2 '^tdc: --emit is given twice' softmax.td --emit=c --emit=h
says 2 '^tdc: --emit names c twice' softmax.td --emit=c,c
says 2 '^tdc: --prefix is given twice' softmax.td --prefix=a --prefix=b
says 2 '^tdc: --kernels is given twice' softmax.td --kernels a.kernel --kernels b.kernel
says 2 '^tdc: --stop-after is given twice' softmax.td --stop-after=parse --stop-after=sema
says 2 '^tdc: -MF is given twice' softmax.td -MD -MFa.d -MFb.d
says 2 '^tdc: --in x is given twice' run softmax.td softmax --in x=a.npy --in x=b.npy
says 2 '^tdc: --out y is given twice' run softmax.td softmax --out y=a.npy --out y=b.npy
says 2 'exclude each other' check softmax.td --emu --gpu
says 2 'exclude each other' run softmax.td softmax --interp --emu
says 2 "^tdc: --target sm_90a is given twice" softmax.td --target=sm_90a --target=sm_90a
says 2 "^tdc: --target sm_80 is given twice" softmax.td --target=sm_80,sm_90a --target=sm_86,sm_80
says 2 "^tdc: no target is named 'sm_90' \(did you mean 'sm_90a'\?\); there are sm_90a, sm_80, sm_86, sm_89, sm_100a, sm_120a" softmax.td --target=sm_90
says 2 "^tdc: no target is named ''" softmax.td --target=sm_80,
says 2 "^tdc: no target is named 'SM_90A'" softmax.td --target SM_90A
says 0 '' softmax.td --time-passes --time-passes -Wperf -Wperf --target=sm_90a,sm_80 --target=sm_120a --dump=parse --dump=sema --stop-after=sema
# options where they can do nothing
says 2 '^tdc: -MF needs -MD' softmax.td -MF out/a.d
says 2 '^tdc: -MP needs -MD' softmax.td -MP
says 2 'this command line writes none' softmax.td -MD --dump=ast
says 2 'this command line writes none' softmax.td -MD -o out/a.cu --stop-after=sema
says 2 '^tdc: -MD belongs to compiling' check softmax.td -MD
says 2 '^tdc: -o belongs to compiling' check softmax.td -o out/a.cu
says 2 '^tdc: --at belongs to run, explain, bench and tune' check softmax.td --at M=3
says 2 '^tdc: N is given by -D and by --at' explain softmax.td --at N=3 -D N=3
says 2 '^tdc: --at N is given twice' explain softmax.td --at M=1,N=3 --at N=3
says 2 '^tdc: --at needs NAME=VALUE' explain softmax.td --at 8
says 2 '^tdc: -D needs a .td or .graph file' explain model.kernel -D N=3
says 1 'no export has this dimension or scalar' explain model.kernel --at Q=3
says 2 '^tdc: --emu belongs to check, run, bench, tune and calibrate' softmax.td --emu
says 2 '^tdc: --out belongs to run' check softmax.td --out y=y.npy
says 2 "^tdc: --completion knows bash and zsh, not 'fish'" --completion=fish
says 2 "^tdc: --diagnostics knows json and text, not 'xml'" softmax.td --diagnostics=xml
says 0 '^tdc [0-9.]+ \(text format [0-9]+(, commit [0-9a-f]{7,}(-dirty)?)?\)$' --version
says 2 '^tdc: --print-dir knows emu, stdlib, .*, not .emus.' --print-dir=emus
TDC_HOME=/nowhere says 3 'the CPU stand-in was not found' --print-dir=emu
# a name that begins with a dash, after --
cp "$dir/softmax.td" "$dir/-x.td"
says 0 '^program softmax' --dump=kernels -- -x.td
files

# files
says 0 '' softmax.td -o out/a.cu
files a.cu a.c a.h
says 0 '' softmax.td -o out/a.cu --emit=c,h
files a.c a.h
says 0 '' model.kernel -oout/b.cu
files b.cu b.c b.h
says 1 'error\[E0309\]' wrong.td -o out/a.cu
files
says 1 'wrong.td:1:[0-9]+: error\[E0309\]' check wrong.td
says 1 'nothing is exported' none.td -o out/a.cu
says 1 'nothing is exported' empty.td -o out/a.cu
says 1 'f_workspace' collide.td -o out/a.cu
says 1 'error' noise.td -o out/a.cu
says 1 'No such file' nothing.td -o out/a.cu
says 3 'cannot write' softmax.td -o nowhere/a.cu
files
# a disk that is full in the middle of the first file, as a limit on the size of files
out=$(cd "$dir" && trap '' XFSZ && ulimit -f 1 && "$TDC" softmax.td -o out/a.cu 2>&1)
[ $? = 3 ] && grep -q 'cannot write' <<<"$out"
verdict $? "a full disk: $out"
files
echo kept >"$dir/out/a.c"
mkdir "$dir/out/a.h"
says 3 'cannot write out/a.h' softmax.td -o out/a.cu
[ "$(cat "$dir/out/a.c")" = kept ]
verdict $? "a failed run replaced a.c"
rmdir "$dir/out/a.h"
files a.c
says 0 '' softmax.td -o out/a.cu
grep -q '"a.h"' "$dir/out/a.c"
verdict $? "a.c does not include a.h"
grep -q 'tdc softmax.td -o a.cu' "$dir/out/a.cu"
verdict $? "a.cu does not name the command"
says 0 '' softmax.td -o out/a.cu --prefix=net
grep -q 'net_softmax(net_context' "$dir/out/a.h"
verdict $? "--prefix is not used"
says 1 "the prefix 'td' is that of names.*--prefix=NAME" softmax.td -o out/td.cu
files a.cu a.c a.h

# to the standard output
says 0 '^extern .*softmax_kernel|__global__' softmax.td -o -
says 0 '^#ifndef TD_softmax_H' -o- softmax.td --emit=h
says 2 '-o - writes one file: choose it with --emit' softmax.td -o - --emit=c,h
says 2 '-o - writes one file' softmax.td -o - --emit=driver
says 2 '-o - leaves no file' softmax.td -o - -MD
says 2 '-o needs the name of a file' tune softmax.td -o -
says 0 '^usage: tdc calibrate -o NAME.machine' help calibrate
same 'as in a file' "$(cd "$dir" && "$TDC" softmax.td -o - | sed 2d | cksum)" "$(cd "$dir" && "$TDC" softmax.td -o out/softmax.cu && sed 2d out/softmax.cu | cksum)"
out=$(cd "$dir" && "$TDC" softmax.td -o - 2>&1 >/dev/full)
same 'a full device' "$? $out" '3 tdc: cannot write to the standard output: No space left on device'
same 'no file called -' "$(ls "$dir"/-* | tr '\n' ' ')" "$dir/-x.td "
files softmax.cu softmax.c softmax.h

# dumps
says 0 'export fn softmax' softmax.td --dump=ast
says 0 '^program softmax' softmax.td --dump=kernels
says 0 'softmax_status softmax_softmax\(' softmax.td --dump=h
says 0 'choose +[0-9.]+ ms' softmax.td --time-passes --stop-after=kernels
says 1 '"code": *"E0309"' wrong.td --diagnostics=json
says 1 'no export has this dimension' softmax.td -D Q=4 -o out/a.cu
files
# clause 10.4
says 0 '' softmax.td -D N=4096 -o out/a.cu
! grep -q 'int64_t N' "$dir/out/a.h"
verdict $? "-D N leaves the argument"
says 0 'skipped softmax.M = 37, N = 1021.: -D fixes N = 4096' check softmax.td --emu -D N=4096
says 1 'nothing was checked' check softmax.td -D N=4097
# imports: beside the file, along -I, in cycles
mkdir "$dir/lib"
echo 'import "./../main.td"; fn twice(x: f32) -> f32 = 2 * x; export fn inert(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }' >"$dir/lib/act.td"
echo 'import "./lib/act.td"; export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = twice(x[i]); }' >"$dir/main.td"
echo 'import "act"; export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = twice(x[i]); }' >"$dir/path.td"
says 0 '2.0 \* x' main.td --dump=graph
says 0 '2.0 \* x' path.td -I lib --dump=graph
says 1 'error\[E0306\]' path.td --dump=graph
! "$TDC" "$dir/main.td" --dump=graph | grep -q inert
verdict $? "an imported export is compiled"
# a program text instead of the scheduler: what is dumped can be given back
"$TDC" samples/softmax.td --dump=kernels >"$dir/softmax.kernel"
says 0 '' softmax.td --kernels softmax.kernel -o out/b.cu
sed 's/x: bf16/x: f32/' "$dir/softmax.kernel" >"$dir/other.kernel"
says 1 'differs|error' softmax.td --kernels other.kernel -o out/c.cu
sed 's/^program softmax/program other/' "$dir/softmax.kernel" >"$dir/other.kernel"
says 1 "no export is named 'other'" softmax.td --kernels other.kernel -o out/c.cu
says 1 'No such file' softmax.td --kernels missing.kernel -o out/c.cu

# --schedules: what --dump=choose prints is read back; groups without a line are chosen; what does not fit is said at its line
"$TDC" samples/softmax.td --dump=choose --stop-after=choose >"$dir/softmax.schedules"
printf 'program softmax # mine\n\n  y: i = grid warp(4); j = serial reg(2) lane(32) vec(4)\n' >"$dir/own.schedules"
echo 'program softmax' >"$dir/no.schedules"
says 0 '^  y: i = grid warp\(4\); j = serial reg\(2\) lane\(32\) vec\(4\)$' softmax.td --schedules=own.schedules --dump=choose
says 0 '^3 passed, 0 failed' check softmax.td --emu --schedules own.schedules
[ "$("$TDC" samples/softmax.td --dump=choose --stop-after=choose --schedules="$dir/no.schedules")" = "$(cat "$dir/softmax.schedules")" ]
verdict $? 'a group without a line is chosen'
[ "$("$TDC" samples/softmax.td --dump=choose --stop-after=choose --schedules="$dir/softmax.schedules")" = "$(cat "$dir/softmax.schedules")" ]
verdict $? 'versions for some sizes are read back'
"$TDC" samples/softmax.td -DM=4096 -DN=1024 --dump=choose --stop-after=choose >"$dir/fixed.schedules"
[ "$("$TDC" samples/softmax.td -DM=4096 -DN=1024 --dump=choose --stop-after=choose --schedules="$dir/fixed.schedules")" = "$(cat "$dir/fixed.schedules")" ]
verdict $? 'schedules that were printed are read back'
# what a given schedule asks for and a target lacks is refused
printf 'program softmax\n  y: i = grid; j = serial cluster(2) reg(2) lane(32) vec(4)\n' >"$dir/cluster.schedules"
says 0 '^3 passed, 0 failed' check softmax.td --emu --schedules cluster.schedules
says 1 '^cluster.schedules:2:3: error.E0903.*clusters of 2 blocks, which sm_80 does not have' softmax.td --schedules=cluster.schedules --target=sm_80 -o out/c.cu
# a line for shares divides the group; without one it is not divided, whatever would be chosen
echo 'export fn f(x: f32[M, N]) -> (y: f32[N]) { y[j] = sum[i](x[i, j]); } check f(M = 9000, N = 24);' >"$dir/columns.td"
"$TDC" "$dir/columns.td" -DM=100000 -DN=64 --dump=choose --stop-after=choose >"$dir/shares.schedules"
grep -q '^  y_shares: .* grid(264) ' "$dir/shares.schedules" && [ "$(grep -c '^  y' "$dir/shares.schedules")" = 2 ]
verdict $? 'two kernels sum columns'
[ "$("$TDC" "$dir/columns.td" --dump=choose --stop-after=choose --schedules="$dir/shares.schedules")" = "$(cat "$dir/shares.schedules")" ]
verdict $? 'a division is read back, for all sizes'
says 0 '^1 passed, 0 failed' check columns.td --emu --schedules=shares.schedules
grep -v '^  y:' "$dir/shares.schedules" >"$dir/half.schedules"
says 1 '^half.schedules:2:3: error.E0906.*what folds the shares, y, has no line' columns.td --schedules=half.schedules
printf 'program f\n  y: j = grid lane(2) vec(8); i = serial reg(4) warp(16) lane(16)\n' >"$dir/whole.schedules"
[ "$("$TDC" "$dir/columns.td" -DM=100000 -DN=64 --dump=choose --stop-after=choose --schedules="$dir/whole.schedules")" = "$(cat "$dir/whole.schedules")" ]
verdict $? 'a group with a line and none for shares is one kernel'
printf 'program f\n  y: j = grid; i = reg(4) warp(8) lane(32)\n' >"$dir/short.schedules"
says 1 'its factors do not cover it' columns.td -DM=100000 --schedules=short.schedules
says 0 '^kernel y$|where M <= 1024' columns.td --schedules=short.schedules --dump=apply
echo 'export fn f(x: f32[N], b: f32[N]) -> (y: f32[2*N]) { y[2*i] = x[i]; y[2*i + 1] = b[i]; }' >"$dir/pieces.td"
printf 'program f\ny: i = grid thread(64)\ny: i = grid thread(32)\n' >"$dir/pieces.schedules"
says 0 'grid thread\(32\)$' pieces.td --schedules=pieces.schedules --dump=choose
echo 'y: i = grid thread(96)' >>"$dir/pieces.schedules"
says 1 '^pieces.schedules:4:1: error.*no more groups that are named y than 2' pieces.td --schedules=pieces.schedules
echo 'program sofmax' >"$dir/name.schedules"
says 1 'did you mean softmax' softmax.td --schedules=name.schedules -o out/c.cu
echo 'y: i = grid' >"$dir/first.schedules"
says 1 'of which program is y' softmax.td --schedules=first.schedules -o out/c.cu
printf 'program softmax\n  z: i = grid\n  y: i = gridd\n' >"$dir/text.schedules"
says 1 '^text.schedules:3:3: error.E0904.*cannot be read at .i = gridd' softmax.td --schedules=text.schedules -o out/c.cu
printf 'program softmax\n  y: i = lane(32) grid; j = serial reg(2)\n' >"$dir/order.schedules"
says 1 'its grid factor stands inside a thread' softmax.td --schedules=order.schedules -o out/c.cu
says 1 'No such file' softmax.td --schedules missing.schedules -o out/c.cu
says 2 'needs a .td or .graph file' softmax.kernel --schedules own.schedules
says 2 'exclude each other' softmax.td --schedules own.schedules --without=choose

# what --brief says of an entry comes when its last check has run, not at the end
echo 'export fn a(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; } export fn b(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] * x[i]; }
check a(N = 1); check a(N = 2); check b(N = 3) error "none";' >"$dir/two.td"
"$TDC" "$dir/two.td" --dump=kernels | sed '/^program b/,$!d' >"$dir/two.kernel"
"$TDC" check "$dir/two.td" --emu --brief 2>&1 | sed 's/:.*//' | tr '\n' '|' >"$dir/log"
grep -q '^[^|]*two.td|ok      a, normal|FAILED  b(N = 3)|FAILED  b, normal|' "$dir/log"
verdict $? "check --brief: $(cat "$dir/log")"

# a check judges, and a run runs
echo 'export fn f(t: i32[M]) -> (y: i32[M]) { assume t[m] % 2 == 0; y[m] = t[m]; } check f(M = 9);' >"$dir/even.td"
says 1 'break an assumption of f: it does not hold at m = 3; draw others: check f\(\.\.\.\) with t in lo\.\.hi' check even.td --emu
rm -rf "$dir/out" && mkdir "$dir/out"
sed 's,^\( *store y.*\),\1 * 1.125,' "$dir/softmax.kernel" >"$dir/bad.kernel"
says 0 '^3 passed, 0 failed' check softmax.td --emu
says 1 '^FAILED  softmax\(M = 3, N = 4096\).*error' check softmax.td --emu --kernels bad.kernel
says 0 '^3 passed, 0 failed' check softmax.td --emu --kernels softmax.kernel
says 0 'y: bf16\[2, 5\]' run softmax.td softmax -D M=2 -D N=5 --emu --out y=out/y.npy
says 0 'y: bf16\[2, 5\]' run softmax.td softmax -D M=2 -D N=5 --emu --in x=out/y.npy
says 1 'another shape|shape' run softmax.td softmax -D M=3 -D N=5 --emu --in x=out/y.npy
says 1 '^softmax.td:2:11: error.E0300.: .*did you mean softmax.$|did you mean softmax.$' run softmax.td sotfmax -D M=2 -D N=5 --emu
says 1 'softmax has no such dimension or scalar' run softmax.td softmax -D M=2 -D N=5 -D Q=1 --emu
says 1 'no such parameter' run softmax.td softmax -D M=2 -D N=5 --emu --in y=out/y.npy
says 0 'y: bf16\[2, 5\]' run softmax.td softmax --interp --in x=out/y.npy
says 1 'dimension 1 of x is 5, and its type says N, which is 6' run softmax.td softmax --interp --in x=out/y.npy --at N=6
says 1 'M has no value' run softmax.td softmax --interp -D N=6
npy() { # FILE DESCR SHAPE BYTES: a file of NumPy's format
    local head="{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n%b' "$head" "$4" >"$dir/$1"
}
npy long.npy '<i8' '(1, 1)' '\x07\x00\x00\x00\x00\x00\x00\x00'
npy large.npy '<i2' '(1,)' '\x2c\x01'
echo 'export fn twice(x: i8[N]) -> (y: i8[N]) { y[i] = i8(2 * x[i]); }' >"$dir/twice.td"
says 1 "elements are NumPy.s int64, where bf16 is needed: save them as x.astype\(.float32.\)" run softmax.td softmax --interp --in x=long.npy
says 1 'it holds 300, which i8 has not: that is -128..127' run twice.td twice --interp --in x=large.npy
says 0 'y: bf16\[2, 5\]' run softmax.td softmax --interp -D N=5 --at M=2
says 2 '--interp belongs to run' check softmax.td --interp
says 1 'N' run softmax.td softmax -D M=2 --emu
says 1 "this program is named 'b'" run two.td a -D N=3 --emu --kernels two.kernel
# results for programs
says 0 '^./f.td has no check statements' check ./f.td --emu
says 0 '^."on": null, "passed": 0, "failed": 0.$' check f.td --emu --format=json
says 2 '--brief does not go with it' check two.td --brief --format=json
says 2 "--format knows json and text, not 'xml'" check two.td --format=xml
"$TDC" check "$dir/two.td" --emu --format=json --inputs=normal,ties --smallest >"$dir/results"
same 'a failed check' $? 1
python3 - "$dir/results" >"$dir/log" 2>&1 <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert lines[-1] == {"on": "emu", "passed": sum(l["result"] == "passed" for l in lines[:-1]), "failed": 1}, lines[-1]
first = lines[0]
assert first["entry"] == "a" and first["sizes"] == {"N": 1} and first["inputs"] == "normal" and first["result"] == "passed", first
assert first["output"] == "y" and first["error"] == 0 and first["allowed"] > 0 and first["rounding"] == 0, first
failed, = [l for l in lines[:-1] if l["result"] == "failed"]
assert failed["entry"] == "b" and failed["message"] == "the entry ran, but should refuse: none", failed
assert any(l.get("at") == "N = 0" for l in lines) and any(l.get("drawn") == "ties in x" for l in lines), lines
END
verdict $? "check --format=json: $(cat "$dir/log")"
# arrays that are not what they should be: an answer, and no result
npy() { # NAME DESCR FORTRAN SHAPE BYTES
    local head="{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }"
    printf '\x93NUMPY\x01\0\x76\0%-117s\n%*s' "$head" "$5" '' >"$dir/$1.npy"
}
echo 'export fn twice(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = 2 * x[i, j]; }' >"$dir/twice.td"
mkdir -p "$dir/out"
npy whole '<f4' False '2, 3' 24
says 0 '^y: f32\[2, 3\]' run twice.td twice --interp --in x=whole.npy
while IFS='|' read -r name descr fortran shape bytes text; do
    npy "$name" "$descr" "$fortran" "$shape" "$bytes"
    says 1 "$text" run twice.td twice --interp --in "x=$name.npy" --out y=out/none.npy
done <<'END'
fortran|<f4|True|2, 3|24|fortran.npy: not in C order
big|>f4|False|2, 3|24|big.npy: not little-endian
short|<f4|False|2, 3|23|short.npy: the data is cut off
rank|<f4|False|6,|24|x has 2 dimensions, not 1
negative|<f4|False|-2, 3|24|negative.npy: the shape cannot be read
huge|<f4|False|99999999999, 99999999999|24|huge.npy: too large
objects|<c8|False|2, 3|24|objects.npy: elements of another kind
END
says 1 'not a .npy file' run twice.td twice --interp --in x=/dev/null --out y=out/none.npy
[ ! -e "$dir/out/none.npy" ]
verdict $? 'a refused run leaves a result'
# what is neither the program's nor the command line's fault
CXX=/nowhere/g++ says 3 'cannot build the emitted files' check softmax.td --emu
CC=/nowhere/gcc says 3 'cannot build the emitted files' run softmax.td softmax -D M=2 -D N=5 --emu
CXX=' ' CC='gcc /nowhere.c' says 3 'gcc fails' check softmax.td --emu
TDC_HOME=/nowhere says 3 'TDC_HOME' check softmax.td --emu
TMPDIR=/nowhere says 3 'cannot make a folder' check softmax.td --emu
says 3 'nowhere/y.npy' run softmax.td softmax -D M=2 -D N=5 --emu --out y=nowhere/y.npy
files y.npy

# Where a signal ends tdc, its folder and its compilers go. The C++ compiler here waits for ever.
mkdir "$dir/tmp"
printf '#!/bin/sh\n[ "$1" = --version ] && exit\necho $$ >%s/pid\nexec sleep 1000\n' "$dir" >"$dir/slow"
chmod +x "$dir/slow"
# What runs in the background ignores SIGINT, and what nohup started SIGHUP: tdc gets what a terminal would give it.
for signal in TERM HUP INT KILL; do
    rm -f "$dir/pid"
    CXX=$dir/slow TMPDIR=$dir/tmp TDC_CACHE=none env --default-signal "$TDC" check "$dir/softmax.td" --emu >"$dir/log" 2>&1 &
    for _ in $(seq 200); do [ -s "$dir/pid" ] && break || sleep 0.02; done
    before=$(ls "$dir/tmp" | wc -l)
    kill -$signal $!
    wait $! 2>/dev/null
    for _ in $(seq 200); do [ -n "$(ls -A "$dir/tmp")" ] || kill -0 "$(cat "$dir/pid")" 2>/dev/null || break; sleep 0.02; done
    same "after SIG$signal" "$before $(ls -A "$dir/tmp") $(kill -0 "$(cat "$dir/pid")" 2>/dev/null && echo runs)" '1  '
done

# clause 11.7
cat >"$dir/special.td" <<'END'
export fn f(x: f32[M, N], w: f32[N], p: f32[N], k: i32[N]) -> (y: f32[M], s: f32[N], t: i32[]) {
    assume 0 <= p[i];
    y[i] = sum[j](x[i, j] * w[j]);
    s[j] = sqrt(p[j]);
    t[] = sum[j](k[j]);
}
export fn square(p: f32[N]) -> (y: f32[N]) { assume 0 <= p[i]; y[i] = p[i] * p[i]; require N > 0, "empty"; }
check f(M = 3, N = 5);
check f(M = 3, N = 5) with w ~ 0.5;
check f(M = 3, N = 5) with x in 2..3;
check square(N = 3);
check square(N = 0) error "empty";
END
says 0 '^5 passed, 0 failed' check special.td --emu --inputs=normal
says 1 'refused: .*empty' run special.td square -D N=0 --interp
says 1 'refused: .*empty' run special.td square -D N=0 --emu
says 0 'ok +f\(M = 3, N = 5\), x \+ 100: error' check special.td --emu --inputs=offset
says 0 '^skipped square\(N = 3\)$' check special.td --emu --inputs=offset,nan
says 0 'ok +f\(M = 3, N = 5\), ties in x, w:' check special.td --emu --inputs=ties
says 0 'ok +f\(M = 3, N = 5\), ties in w:' check special.td --emu --inputs=ties
says 0 '^17 passed, 0 failed' check special.td --emu --inputs=all
says 0 'ok +f\(M = 3, N = 5\), -\|w\|:' check special.td --emu --inputs=negative
says 0 'NaN in x\[[0-2], [0-4]\]' check special.td --emu --inputs=nan
says 0 'NaN in w\[[0-4]\]' check special.td --emu --inputs=nan
says 2 "knows no 'nana'" check special.td --inputs=nana
says 2 'belongs to check' special.td --inputs=nan
says 2 'knows ring and field, not .rings' check special.td --exact=rings
says 2 'for the CPU stand-in' check special.td --exact=ring --gpu
says 0 'ok +f\(M = 3, N = 5\): 3 outputs exact' check special.td --exact=field
# A kernel that loses a NaN passes every check without one.
cat >"$dir/row.td" <<'END'
export fn row(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[j](x[i, j]); }
check row(M = 7, N = 9);
END
"$TDC" "$dir/row.td" --dump=kernels | sed 's/^\( *store y\[[a-z]*\] = \)\(.*\)/\1if isnan(\2) then 0.0 else (\2)/' >"$dir/row.kernel"
says 0 '^1 passed' check row.td --emu --kernels row.kernel
says 1 '^FAILED  row\(M = 7, N = 9\), NaN in x.*expected nan' check row.td --emu --kernels row.kernel --inputs=nan
# clause 11.8
cat >"$dir/least.td" <<'END'
dim W in 4..65536 divisible 4;
export fn pick(x: f32[N, C], t: i64[N], w: f32[W - 2]) -> (y: f32[N]) {
    assume 0 <= t[n] && t[n] < C;
    y[n] = x[n, t[n]];
}
check pick(N = 3, C = 5, W = 12);
check pick(N = -1, C = 5, W = 12) error "at least 0";
END
says 0 '^6 passed, 0 failed' check least.td --emu --smallest
says 0 'ok +pick\(N = 3, C = 5, W = 12\) at C = 1 \(0: no value of t satisfies what is assumed of it\): error' check least.td --emu --smallest
says 0 'ok +pick\(N = 3, C = 5, W = 12\) at W = 4: error' check least.td --emu --smallest
says 0 '^ok +pick, offset: 5 of 5 passed; largest error 0 of 0.0001 allowed \(y\), pick\(N = 3, C = 5, W = 12\).*x \+ 100$' check least.td --emu --smallest --brief --inputs=offset
# clause 11.3: numbers less their mean, where all are equal, are what rounding makes of them; anything else is a fault.
cat >"$dir/equal.td" <<'END'
export fn equal(b: f32[N]) -> (y: f32[N, M]) {
    let m: f32[n in N] = mean[i in 0..M](if i >= 0 then b[n] else 0.0);
    y[n, i] = (b[n] - m[n]) * 316.0;
}
check equal(N = 9, M = 997);
END
"$TDC" "$dir/equal.td" --dump=kernels | sed 's/^\( *store y\[.*\] = \)\(.*\)/\1\2 + 0.003/' >"$dir/equal.kernel"
says 0 '^ok .*; [0-9]+ elements only as near as rounding allows$' check equal.td --emu
says 1 '^FAILED  equal, normal: 0 of 1 passed' check equal.td --emu --kernels equal.kernel --brief

# progress on a terminal
mkdir "$dir/progress"
python3 tests/cli/progress.py "$TDC" "$dir/progress" >"$dir/log" 2>&1
verdict $? "progress: $(cat "$dir/log")"

# Graph text is a source like td
cat >"$dir/mean.graph" <<'END'
graph mean
  dim M
  dim N
  scalar by: f32 = 1.0
  in x: f32[M, N]
  out y: f32[M]
  monoid avg(n: i64 = 0, s: f32 = 0.0) combine (n + n', s + s')
y[i] = by * avg[k in 0..N](1, x[i, k]).s / f32(max(avg[k in 0..N](1, x[i, k]).n, 1))
graph twice
  dim N
  in x: f32[N]
  out y: f32[N]
y[i] = x[i] * 2.0
check mean(M = 3, N = 70, by = 2.5)
check twice(N = 9) tol 0.0
END
says 0 '^2 passed, 0 failed$' check mean.graph --emu
says 0 '-D fixes N = 70' check mean.graph --emu -D N=70
says 0 '^1 passed, 0 failed$' check mean.graph --emu -D N=70
says 0 '' mean.graph -o out/mean.cu
says 0 'mean_twice' mean.graph -o - --emit=h
says 0 '^mean.M = 2, N = 3.: 1 launch' explain mean.graph mean --at M=2,N=3
says 0 'y: f32.2. ' run mean.graph mean --at M=2,N=3 --emu
says 0 'reference interpreter' run mean.graph twice --at N=4 --interp
says 1 "has no entry 'other'" run mean.graph other --emu
says 2 'is too many' mean.graph mean.graph
says 2 'an output, not a source' mean.td -o mean.graph
says 0 'monoid avg' mean.graph --dump=sema
says 0 'step s1.i. = avg.k..1, x.i, k..$' mean.graph --dump=plan
says 0 'by . s1[.]s / f32.max.s1[.]n, 1..$' mean.graph --dump=plan
refused() { # LINE:COLUMN TEXT SED: the file with a change is refused there
    sed "$3" "$dir/mean.graph" >"$dir/bad.graph"
    says 1 "bad.graph:$1: error.E0900.: $2" bad.graph -o out/bad.cu
}
refused 8:40 "monoid avg has no part 't'" 's/x\[i, k\]).s/x[i, k]).t/'
refused 8:28 'operand 1 is f32, where monoid avg has i64' 's/(1, x\[i, k\]).s/(x[i, k], x[i, k]).s/'
refused 9:1 "graph 'mean' is there already" 's/^graph twice/graph mean/'
refused 15:7 "no graph 'thrice' before its check" 's/^check twice/check thrice/'
refused 14:19 "'K' is no dimension or scalar of mean" 's/N = 70/K = 70/'
refused 9:7 'tensor y: no definition' 's/^y\[i\] = x.*//'

# check compiles what the sizes of its statements take, of all versions that the program has.
echo 'import "nn"; export fn soft(x: bf16[M, N]) -> (y: bf16[M, N]) { y = softmax(x); } check soft(M = 3, N = 37); check soft(M = 20, N = 300);' >"$dir/soft.td"
kernels() { "$TDC" "$@" --dump=lower --stop-after=lower | grep -c __global__; }
[ "$(kernels "$dir/soft.td")" -gt 9 ] && [ "$(kernels check "$dir/soft.td")" -le 4 ]
verdict $? "kernels: $(kernels "$dir/soft.td"), of check $(kernels check "$dir/soft.td")"
same 'they are those it runs' "$("$TDC" check "$dir/soft.td" --emu | tail -n 1)" '2 passed, 0 failed'
# Its tensors lie where those of the compiled program do: of one for these sizes alone the host's text is the same.
cat >"$dir/plan.td" <<'END'
export fn plan(x: f32[M, N], w: f32[N]) -> (y: f32[M]) {
    let s[i] = sum[j](x[i, j] * w[j]);
    let top = max[i](s[i]);
    let e[i] = exp(s[i] - top);
    let all = sum[i](e[i]);
    y[i] = e[i] / all + max[k](e[k] / all * s[k]);
}
check plan(M = 65536, N = 128);
END
host() { "$TDC" "$@" "$dir/plan.td" -DM=65536 -DN=128 --dump=host --stop-after=host | grep -v 'Made by\|Host side'; }
same 'a plan with shared places' "$(host | grep -c 'has no place of its own')" 1
same 'its plan' "$(host check)" "$(host)"
finish
