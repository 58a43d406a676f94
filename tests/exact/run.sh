#!/bin/bash
# Exact algebra on the stand-in (backend_cuda/emu/README.md). Compared: the interpreter's algebra and the stand-in's, on random numbers;
# programs under the schedules that tdc chooses, or written by hand, and random programs under random ones, whose bits must be
# the interpreter's; and planted wrong schedules (plants.txt), which must be found. Some of them; with TDC_EVERY=1 all of
# tests/numeric, tests/kernels and samples, all plants, and 50 random programs under three random schedules each.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
B=${B:-build} TDC=${TDC:-${B:-build}/tdc} every=
[ "${TDC_EVERY:-}" = 1 ] && every=1
export TDC dir

# ---- two implementations, one algebra ----
for bits in 16 ${every:+8 32}; do
    for field in '' -DTD_EXACT_FIELD; do
        ${CXX:-g++} -std=c++17 -O0 -Wall -Wextra -Werror -DTD_EXACT_BITS=$bits $field -I backend_cuda/emu -o "$dir/agree" tests/exact/agree.cpp "$B/libtdc.a" -ldl -lm -pthread &&
            "$dir/agree"
        verdict $? "the algebras of $bits bits $field"
    done
done

export plain_cc=${CC:-} plain_cxx=${CXX:-}
quick_compilers

# ---- programs ----
one() { # CARRIER FILE: prints nothing, or what differs
    local texts=()
    [[ $2 == tests/kernels/* ]] && texts=(--kernels "${2%.td}.kernel")
    grep -q '^// runs long' "$2" && local -x CC=$plain_cc CXX=$plain_cxx
    "$TDC" check "$2" --exact="$1" "${texts[@]}" >"$dir/$1.${2//\//.}" 2>&1 || { echo "FAILED: $2, $1"; grep -m 3 -E 'FAILED|error' "$dir/$1.${2//\//.}"; }
}
export -f one
programs=(samples/softmax.td samples/column_norm.td tests/kernels/softmax_stream.td tests/numeric/exact_constants.td)
[ "$every" ] && programs=(samples/*.td tests/kernels/*.td tests/numeric/*.td)
for c in ring field; do
    for f in "${programs[@]}"; do
        [ "$every" ] || [ $c = ring ] || [[ $f == *softmax* ]] || continue
        [ -e "$f" ] && ! grep -qx "$f" <(sed 's/ .*//' tests/exact/exempt.txt) && echo "$c $f"
    done
done | xargs -r -P "${JOBS:-2}" -L 1 bash -c 'one "$@"' _ >"$dir/wrong"
cat "$dir/wrong"
[ ! -s "$dir/wrong" ]
verdict $? "programs in exact algebra"
echo "outputs of each check that were compared exactly and that are exempt: $(cat "$dir"/ring.* "$dir"/field.* | sed -nE 's/.*: ([0-9]+) outputs? exact(, ([0-9]+) exempt)?.*/\1 \3/p' |
    awk '{ a += $1; b += $2 } END { printf "%d, %d", a, b }')"

# ---- planted wrong schedules ----
# In the text of a kernel; or, where FILE is a program, in the text that is emitted for it, under the schedule that tdc chooses: the compiler gets
# it changed. A compiler of its own name has objects of its own.
plant() { # CARRIER, LINE of plants.txt: prints nothing where the wrong text is found
    local file check what script name texts=()
    IFS='~' read -r file check what script <<<"${2// | /\~}"
    name=$(mktemp -d "$dir/plant.XXXXXX")
    if [[ $file == *.td ]]; then
        sed '/^check\|^bench/d' "$file" >"$name/p.td"
        cat >"$name/cxx" <<END
#!/bin/sh
for f; do case \$f in *.cu) sed -i.right '$script' "\$f"; cmp -s "\$f" "\$f.right" || : >"$name/changed" ;; esac; done
exec $CXX "\$@"
END
        chmod +x "$name/cxx"
        export CXX=$name/cxx
    else
        sed '/^check\|^bench/d' "tests/kernels/$file.td" >"$name/p.td"
        sed "$script" "tests/kernels/$file.kernel" >"$name/p.kernel"
        cmp -s "$name/p.kernel" "tests/kernels/$file.kernel" || : >"$name/changed"
        texts=(--kernels "$name/p.kernel")
    fi
    echo "check $check;" >>"$name/p.td"
    "$TDC" check "$name/p.td" --exact="$1" "${texts[@]}" >"$name/log" 2>&1
    [ -e "$name/changed" ] || echo "FAILED: $file, $what: nothing was planted"
    grep -q 'in exact algebra modulo' "$name/log" || { echo "FAILED: $file, $what, $1: not found"; cat "$name/log"; }
}
export -f plant
grep -v '^#' tests/exact/plants.txt >"$dir/plants"
[ "$every" ] || grep -E '^softmax_stream .*rescale \||^column_sum .*neighbour|^samples.*twice' tests/exact/plants.txt >"$dir/plants"
while read -r line; do
    printf 'ring\0%s\0' "$line"
    [ "$every" ] || [[ $line == *rescale* ]] && printf 'field\0%s\0' "$line"
done <"$dir/plants" | xargs -0 -r -n 2 -P "${JOBS:-2}" bash -c 'plant "$@"' _ >"$dir/missed"
cat "$dir/missed"
[ ! -s "$dir/missed" ]
verdict $? "planted wrong schedules"

# What a tolerance cannot see: one of 12345 elements less in a sum.
sed '/^check\|^bench/d' tests/kernels/softmax_stream.td >"$dir/p.td"
echo 'check softmax_stream(M = 2, N = 12345);' >>"$dir/p.td"
sed 's/sum(if mn == -inf/sum(if n == 777 || mn == -inf/' tests/kernels/softmax_stream.kernel >"$dir/p.kernel"
"$TDC" check "$dir/p.td" --emu --kernels "$dir/p.kernel" >"$dir/log"
verdict $? "an element left out, which floats with their tolerance should not show: $(cat "$dir/log")"

# What stands in place of taps that are not loaded may differ from tap to tap: then elements are not one (lower_window.c).
cat >"$dir/ot.td" <<'EOF'
export fn ot(x: f16[B, Q]) -> (y: f16[B, Q]) {
    y[b, q] = sum[k in 0..4](if 0 <= q + k - 3 then x[b, q + k - 3] else f16(k + 1));
}
check ot(B = 3, Q = 37);
EOF
cat >"$dir/ot.kernel" <<'EOF'
program ot
  dim B
  dim Q
  in x: f16[B, Q]
  out y: f16[B, Q]

kernel k
part main
  axis b = B
  axis q = Q
  axis k = 4
  layout main
    b = grid
    q = grid lane(32) reg(4)
    k = reg(4)
{
  x0 = load x[b, q + k - 3] if 0 <= q + k - 3 else f16(k + 1)
  sum2 = reduce sum(f32(x0)) over k
  store y[b, q] = sum2
}
EOF
"$TDC" check "$dir/ot.td" --emu --kernels "$dir/ot.kernel" >"$dir/log"
verdict $? "taps with values of their own where nothing is loaded: $(cat "$dir/log")"

# ---- random programs, with every: under the schedule that tdc chooses, the fallback and three random ones ----
for c in ring ${every:+field}; do
    TDC_RANDOM=$([ "$every" ] && echo 50 || echo 2) TDC_SCHEDULES=$([ "$every" ] && echo 5 || echo 3) bash tests/random/run.sh --exact $c --shrink 0 >"$dir/log" 2>&1
    counted $? "$dir/log"
done
finish
