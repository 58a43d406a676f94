#!/bin/bash
# Machines: those that tdc knows and files of --machine, by whose figures schedules are chosen and times predicted; and what
# `tdc calibrate` writes on the stand-in, whose times are invented (backend_cuda/emu/README.md).
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-build/tdc}")
samples=$PWD/samples
export TDC_HOME=${TDC_HOME:-$PWD}
. tests/suite.sh
quick_compilers
cd "$dir" || exit 1
cp "$samples/softmax.td" .
said() { # STATUS WORDS ARGUMENTS...: words of one line
    local status=$1 words=$2
    shift 2
    "$tdc" "$@" >log 2>&1
    same "tdc $*: $words" "$? $(grep -c -- "$words" log)" "$status 1"
}
json() { # WHAT ARGUMENTS...: what explain says, to python on standard input as `lines`
    local what=$1
    shift
    "$tdc" explain "$@" --format=json >results 2>log
    (echo 'import json; lines = [json.loads(line) for line in open("results")]; e = lines[0]; near = lambda a, b: abs(a - b) <= 1e-3 * b'; cat) >script.py
    python3 script.py >>log 2>&1
    verdict $? "$what: $(cat log)"
}

# ---- machines that tdc knows ----
"$tdc" softmax.td --prefix=m -o a.cu && "$tdc" softmax.td --prefix=m --machine=h200 -o b.cu
same 'h200 is the default' "$(diff a.cu b.cu)" '2c2
< // tdc softmax.td --prefix=m -o a.cu
---
> // tdc softmax.td --prefix=m --machine=h200 -o b.cu'
"$tdc" --print-machine=h200 >all.machine && "$tdc" --print-machine h100 >own.machine
same 'h100 has what differs from the H200' "$(grep -v '^#' own.machine | cut -d' ' -f1,2)" 'tdc machine
machine h100
like h200
bandwidth 3.01e+12
l2 52428800'
for m in all:h200 own:h100; do
    "$tdc" explain softmax.td --machine=${m%:*}.machine >file
    "$tdc" explain softmax.td --machine=${m#*:} >built-in
    same "${m#*:} as a file" "$(sed 's/, by the figures.*//' file)" "$(sed 's/, by the figures.*//' built-in)"
done
for f in "$samples"/*.td; do "$tdc" "$f" --machine=h100 --dump=choose >log 2>&1 || verdict 1 "h100 chooses for $f: $(cat log)"; done
"$tdc" check softmax.td --machine=h100 --emu >log 2>&1
same 'checks of what h100 chooses' "$? $(grep -c '^FAILED' log)" '0 0'
json 'the default' softmax.td <<'END'
assert e["machine"] == "h200" and e["verified"] and near(e["between_launches_us"], 4), e
END
json 'h100' softmax.td --machine=h100 <<'END'
assert e["machine"] == "h100" and not e["verified"] and near(e["floor"]["copy_us"], 0.614 + e["floor"]["bytes"] / 3.01e6), e
END
json 'a target of another architecture' softmax.td --target=sm_80 --machine=h200 <<'END'
assert e["machine"] == "h200" and e["target"] == "sm_80" and not e["verified"], e
END
said 0 'by the figures of h100: unverified for sm_90a$' explain softmax.td --machine=h100
said 2 "no machine is named 'h1000' (did you mean 'h100'?); there are h200, h100, and files" softmax.td --machine=h1000
said 2 "no machine is named 'abacus'; there are h200, h100, and files" --print-machine abacus
said 2 'machine is given twice' softmax.td --machine=h100 --machine=h200

# ---- files ----
file() { printf 'tdc machine 1\n%s\n' "$1" >my.machine; }
file 'machine my
like h200
bandwidth 2.155e12 bytes a second "half" # of an H200
sms 66 multiprocessors "half"'
json 'half the bandwidth' softmax.td --machine=my.machine <<'END'
assert e["machine"] == "my" and not e["verified"] and near(e["floor"]["copy_us"], 0.614 + e["floor"]["bytes"] / 2.155e6), e
END
"$tdc" explain softmax.td --machine=my.machine >log
"$tdc" explain softmax.td >other
same 'predicted times change' "$(($(awk '/ us, and/ { print int($1) }' log) > $(awk '/ us, and/ { print int(1.5 * $1) }' other)))" 1
"$tdc" softmax.td --machine=./my.machine -MD -o made.cu
same 'what was read' "$(grep -o 'my.machine' made.d) $(sed -n 2p made.cu)" 'my.machine // tdc softmax.td --machine=my.machine -MD -o made.cu'
cp my.machine model.h
said 2 'is a source of this compilation' softmax.td --machine=./model.h -o model.cu
same 'the machine is still there' "$(cmp my.machine model.h)" ''
said 1 '^error.E0003.: missing.machine' softmax.td --machine=missing.machine
wrong() { # PLACE:ERROR WORDS TEXT: each as explain says it
    file "$3"
    said 1 "^my.machine:$(sed -E 's/:(E.*)/: error.\1./' <<<"$1").*$2" softmax.td --machine=my.machine
}
said 1 '^softmax.td:1:1: error.E1200.' softmax.td --machine=softmax.td
wrong 4:1:E1201 "no row of a machine is named 'bandwith'" $'machine my\nlike h200\nbandwith 1e12 bytes a second "x"'
same 'a misspelt row' "$(grep -c 'bandwidth' log)" 1
wrong 4:1:E1201 'l2 is given twice' $'like h200\nl2 1e6 bytes "x"\nl2 1e6 bytes "x"\nmachine my'
wrong 4:11:E1202 "bandwidth needs a number, not 'fast'" $'machine my\nlike h200\nbandwidth fast bytes a second "x"'
wrong 4:11:E1202 'bandwidth is from 1e+09 to 1e+15 bytes a second, not 4310' $'machine my\nlike h200\nbandwidth 4310 bytes a second "x"'
wrong 4:16:E1201 'bandwidth is in bytes a second: those' $'machine my\nlike h200\nbandwidth 4e12 GB/s "x"'
wrong 4:13:E1201 'must say in quotes where its number comes from' $'machine my\nlike h200\nl2 1e6 bytes'
wrong 4:18:E1201 'nothing may follow here' $'machine my\nlike h200\nl2 1e6 bytes "x" "y"'
wrong 3:6:E1201 'a built-in one: h200, h100' $'machine my\nlike h300'
wrong 4:1:E1201 'stands before what the file has of its own' $'machine my\nsms 100 multiprocessors "x"\nlike h200'
wrong 4:8:E1201 "no target is named 'sm_70'" $'machine my\nlike h200\ntarget sm_70'
wrong 2:9:E1201 'letters, digits' $'machine m{y\nlike h200'
wrong 1:1:E1201 'lacks a line `machine NAME`' 'like h200'
wrong 1:1:E1201 'lacks sms; a line `like h200` gives' 'machine my'
wrong 4:9:E1201 'a product is of bf16 or f32' $'machine my\nlike h200\nproduct f64 8 8 8 1e-5 seconds "x"'
wrong 4:14:E1202 'm is from 1 to 1.09951e+12 elements, not 0' $'machine my\nlike h200\nproduct bf16 0 8 8 1e-5 seconds "x"'
wrong 5:1:E1201 'this product is given twice' $'machine my\nlike h200\nproduct bf16 8 8 8 1e-5 seconds "x"\nproduct bf16 8 8 8 1e-5 seconds "x"'

# ---- times of products ----
echo 'dim M hint 64; dim N hint 1024; dim K hint 1024; export fn f(x: bf16[M, K], w: bf16[K, N]) -> (y: bf16[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); }' >product.td
file 'machine my
like h200
product bf16 64 1024 1024 9e-6 seconds "x"
product bf16 1024 1024 1024 2e-5 seconds "x"'
json 'a product that a row names' product.td --machine=my.machine <<'END'
k, = e["kernels"]
assert near(k["us"], 9) and not k["at_least"] and e["floor"]["products_us"] < 1, e
END
json 'one between rows' product.td --machine=my.machine --at M=256 <<'END'
assert 9 < e["kernels"][0]["us"] < 20, e
END
json 'a machine without times' product.td <<'END'
assert e["kernels"][0]["at_least"] and e["kernels"][0]["us"] < 2, e
END

# ---- calibrate ----
"$tdc" calibrate --emu -o lab.machine >log 2>&1
same 'calibrate' "$? $(tail -n 1 log)" '0 lab.machine: lab on the CPU stand-in, like h200'
same 'what cannot be is not taken' "$(grep -o '^[a-z_]* *not taken' log | tr -s ' ' | tr '\n' ';')" 'read_only not taken;write_only not taken;products not taken;'
# a copy of n bytes in all takes 1 us and n / 2e12 s; a launch takes 3 us, with what the judge says of the kernel itself
same 'figures' "$(sed -nE 's/^(bandwidth|sms|l2|clock|clock_most) ([^ ]*) .*/\1 \2/p' lab.machine | tr '\n' ' ')" 'sms 132 clock 909100000 clock_most 1e+09 bandwidth 2e+12 l2 62914560 '
same 'launches' "$(awk '$1 == "launch" || $1 == "chained" { print ($2 > 1e-6 && $2 < 3e-6) }' lab.machine | tr -d '\n')" 11
same 'times of products' "$(grep -cE '^product (bf16|f32) [0-9]+ [0-9]+ [0-9]+ [0-9.]+ seconds "invented by tdc calibrate [0-9]{4}-[0-9]{2}-[0-9]{2} on CPU stand-in"$' lab.machine)" 40
for f in "$samples"/*.td; do "$tdc" "$f" --machine=lab.machine -o out.cu >log 2>&1 || verdict 1 "the calibrated machine compiles $f: $(cat log)"; done
same 'and says so' "$(sed -n 2p out.cu | grep -o -- '--machine=lab.machine')" '--machine=lab.machine'
# a file goes on from one: rows that are not measured stay; the target is that of the command
printf 'tdc machine 1\nmachine old\nlike h100\ntail 0.5 of a block'"'"'s life "ours"\nbandwidth 3e12 bytes a second "ours"\n' >old.machine
"$tdc" calibrate --emu --target=sm_80 --machine=old.machine -o new.machine >log 2>&1
same 'rows of an older file' "$? $(sed -nE 's/^((like|target|tail|bandwidth|machine) .*)"(ours|invented).*/\1\3/p; /^(like|target|machine) /p' new.machine | tr '\n' ';')" \
    "0 machine new;like h100;target sm_80;bandwidth 2e+12 bytes a second invented;tail 0.5 of a block's life ours;"
said 2 'calibrate needs -o' calibrate --emu
said 2 'needs the name of a file' calibrate --emu -o -
said 2 "programs of its own: 'softmax.td' is too many" calibrate softmax.td -o x.machine
said 2 'library=none leaves that out' calibrate --library=none -o x.machine
if [ ! -e /dev/nvidiactl ]; then
    said 3 'tdc: calibrate measures on a GPU, and this machine has no NVIDIA GPU: run it where the model will run' calibrate -o x.machine
    same 'nothing is written' "$(ls x.machine 2>&1)" "ls: cannot access 'x.machine': No such file or directory"
fi
finish
