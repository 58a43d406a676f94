#!/bin/bash
# tdc bench on the stand-in, whose times are invented and the same each run: a launch takes 3 us, a copy in device memory
# 1 us and 0.001 us for each 1000 bytes (backend_cuda/emu/README.md); and the programs that bench/measure.py times.
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-build/tdc}")
export TDC_HOME=${TDC_HOME:-$PWD}
. tests/suite.sh
quick_compilers
python3 tests/bench/programs.py "$tdc" >"$dir/log" 2>&1
counted $? "$dir/log"
cp tests/bench/model.td tests/kernels/choose_sums.* "$dir"
cd "$dir" || exit 1

# ---- as text ----
"$tdc" bench model.td --emu >log 2>&1
same 'exit status' $? 0
squeezed() { sed -E 's/ +/ /g; s/^ //' log; }
same 'as text' "$(squeezed)" 'model.td: 3 sizes on the CPU stand-in, whose times are invented
median us p10 p90 floor us ratio launches
3.0 3.0 3.0 1.0 2.99 1 scale(N = 1000)
checked at scale(N = 33)
before: 1000 MHz, memory 2000 MHz, 100 W; after: 1000 MHz, memory 2000 MHz, 200 W
3.0 3.0 3.0 1.0 2.98 1 scale(N = 2000)
before: 1000 MHz, memory 2000 MHz, 100 W; after: 1000 MHz, memory 2000 MHz, 200 W
3.0 3.0 3.0 1.0 3.00 1 rows(V = 100, D = 4, K = 10)
checked at rows(V = 5, D = 4, K = 5)
before: 1000 MHz, memory 2000 MHz, 100 W; after: 1000 MHz, memory 2000 MHz, 200 W
3 timed on CPU stand-in, 0 failed'

# ---- as JSON ----
json() { # WHAT ARGUMENTS...: python on standard input sees `lines`
    local what=$1
    shift
    "$tdc" bench "$@" --emu --format=json >results 2>log
    echo "status = $?" >script.py
    echo 'import json; lines = [json.loads(line) for line in open("results")]; near = lambda a, b: abs(a - b) < 1e-6 * b' >>script.py
    cat >>script.py
    python3 script.py >>log 2>&1
    verdict $? "$what: $(cat log)"
}
json 'all members' model.td scale <<'EOF'
first, second, last = lines
assert status == 0 and last == {"on": "emu", "device": "CPU stand-in", "timed": 2, "failed": 0}, last
assert first["entry"] == "scale" and first["sizes"] == {"N": 1000} and first["result"] == "timed", first
assert first["checked"] == "checked at scale(N = 33)" and "checked" not in second, lines
assert near(first["us"], 3) and near(first["p10"], 3) and near(first["p90"], 3) and first["runs"] == 5 and first["launches"] == 1, first
assert first["floor"]["bytes"] == 8000 and near(first["floor"]["copy_us"], 1.004) and first["floor"]["products_us"] == 0, first
assert near(first["floor"]["us"], 1.004) and near(first["ratio"], 3 / 1.004) and near(second["ratio"], 3 / 1.008), lines
assert first["before"] == {"sm_mhz": 1000, "memory_mhz": 2000, "watts": 100} and first["after"]["watts"] == 200, first
assert first["device"] == "CPU stand-in", first
EOF
json 'rows that are read, scalars' model.td rows <<'EOF'
assert lines[0]["floor"]["bytes"] == 4 * 10 + 2 * 4 * 10 * 4 and lines[0]["sizes"] == {"V": 100, "D": 4, "K": 10, "s": 0.5}, lines
EOF
json 'an inout counts twice; several sizes; a dimension that is fixed' model.td add --at N=100,300,100 <<'EOF'
assert [l["floor"]["bytes"] for l in lines[:-1]] == [1200, 3600], lines
assert lines[0]["checked"] == "checked at add(N = 5)", lines
EOF
json 'every combination, in the place of lines' model.td rows --at V=10,20 --at D=2,3,5 -D K=7 <<'EOF'
assert [(l["sizes"]["V"], l["sizes"]["D"], l["sizes"]["K"]) for l in lines[:-1]] == [(v, d, 7) for d in (2, 3, 5) for v in (10, 20)], lines
EOF
# sizes beside -D: the lines are one then
json 'lines that -D makes equal' model.td scale -DN=96 <<'EOF'
assert [l["sizes"] for l in lines[:-1]] == [{"N": 96}] and lines[0]["checked"] == "checked at scale(N = 96)", lines
EOF
echo 'dim N hint 5000; export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }' >hint.td
json 'sizes by hints' hint.td <<'EOF'
assert lines[0]["sizes"] == {"N": 5000} and lines[0]["checked"] == "checked at f(N = 5)", lines
EOF
# a product of the library, captured in a context that stays
echo 'export fn f(x: bf16[M, K], w: bf16[K, N]) -> (y: bf16[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); } dim M hint 1024; dim K hint 1024; dim N hint 1024;' >product.td
json 'a product' product.td --at M=8 --at K=16 --at N=12 <<'EOF'
assert lines[0]["launches"] == 1 and lines[0]["us"] > 1000, lines
assert near(lines[0]["floor"]["products_us"], 2 * 8 * 16 * 12 / 989e12 * 1e6), lines
assert lines[0]["floor"]["bytes"] == 2 * (8 * 16 + 16 * 12 + 8 * 12) and lines[0]["floor"]["us"] == lines[0]["floor"]["copy_us"], lines
EOF
# the launches of the way that the sizes take, and what is cleared before them
json 'kernels given, one compilation' choose_sums.td --kernels choose_sums.kernel --at M=17,N=256,513 <<'EOF'
assert [(l["launches"], round(l["us"], 3)) for l in lines[:-1]] == [(1, 3), (4, 9)], lines
EOF

# ---- what is wrong is not timed ----
"$tdc" model.td --dump=kernels | sed -n '/^program scale/,/^}/p' >scale.kernel
sed 's,^\( *store y.*\),\1 * 1.125,' scale.kernel >bad.kernel
json 'wrong results' model.td --kernels bad.kernel <<'EOF'
assert status == 1 and lines[-1]["timed"] == 1 and lines[-1]["failed"] == 2, (status, lines)
assert [l["result"] for l in lines[:-1]] == ["failed", "failed", "timed"] and "us" not in lines[0], lines
assert lines[0]["checked"].startswith("WRONG at scale(N = 33): y[0] is "), lines
EOF
"$tdc" bench model.td scale --emu --kernels bad.kernel >log 2>&1
same 'wrong results, as text' "$? $(grep -c '^FAILED  scale(N = [12]000): a check of it fails$' log) $(grep -c '^   WRONG at scale(N = 33): y' log)" '1 2 1'
# what the small size cannot tell is said
sed 's/^kernel.*/&\n  where N >= 500/' scale.kernel >large.kernel
json 'a kernel for large sizes alone' model.td scale --kernels large.kernel <<'EOF'
assert status == 0 and lines[0]["checked"].startswith("not checked at scale(N = 33): the entry refuses: "), lines
EOF
json 'a size that is refused' model.td scale --kernels large.kernel --at N=400,600 <<'EOF'
assert status == 1 and [l["result"] for l in lines[:-1]] == ["failed", "timed"], lines
assert lines[0]["message"].startswith("the entry refuses: "), lines
EOF
json 'no small size' model.td add -DN=1000000 <<'EOF'
assert lines[0]["checked"] == "not checked: its sizes cannot be small; a line `check add(...);` says at which it should be", lines
EOF
"$tdc" bench model.td half --emu >log 2>&1
same 'nothing to time' "$? $(cat log)" '0 model.td has nothing to time'

# ---- what is refused ----
refused() { # STATUS WORDS ARGUMENTS...
    local status=$1 words=$2
    shift 2
    "$tdc" "$@" >log 2>&1
    same "tdc $*" "$? $(grep -c "$words" log)" "$status 1"
}
refused 1 'no size for N: neither --at nor a bench line or a hint says it' bench model.td add --emu
refused 1 'write the sizes that matter into the file: bench add(N = ...);' bench model.td add --emu
refused 1 'or give them here: --at N=...' bench model.td add --emu
refused 1 'did you mean scale' bench model.td scal --emu
refused 1 'no such dimension or scalar' bench model.td scale --emu --at M=3
refused 1 'a whole number' bench model.td scale --emu --at N=3,4.5
refused 1 'not a value that it can have' bench model.td scale --emu --at N=-3
refused 2 "at N: '4x' is no number" bench model.td --emu --at N=3,4x
refused 2 'at N: several values are for bench' explain model.td scale --at N=3,4
refused 2 'debug-checks is for results' bench model.td --emu --debug-checks
refused 2 'bench and tune need a .td or .graph file' bench choose_sums.kernel --emu
refused 2 '^tdc: --format belongs to check, explain and bench' model.td --format=json
if [ ! -e /dev/nvidiactl ]; then
    refused 3 'tdc: bench measures on a GPU, and this machine has no NVIDIA GPU: run it where the model will run; tdc explain' bench model.td
    refused 3 'tdc: bench measures on a GPU, and this machine has no NVIDIA GPU: run it where the model will run; tdc explain' bench model.td --gpu
fi
finish
