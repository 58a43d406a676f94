#!/bin/bash
# Kernels for several targets: on the stand-in as a device of compute capability 8.0, which refuses what that lacks, and, where
# there is an nvcc, compiled for all targets without a warning, without most of its optimisations. Two programs,
# compiled for the oldest target and the newest; with TDC_EVERY=1 for all, and all programs that have checks, every
# kernel text, every sample and the library's functions.
cd "$(dirname "$0")/../.." || exit 1
export TDC_HOME=$PWD
TDC=$(realpath "${TDC:-build/tdc}")
. tests/suite.sh
quick_compilers
NVCC=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; })
ALL=$(sed -nE 's/^TARGET\(([a-z0-9_]+),.*/\1/p' sched/machine/targets.def | paste -sd,)
SOME=$ALL
[ "${TDC_EVERY:-}" = 1 ] || SOME=sm_80,sm_120a
export TDC NVCC ALL SOME dir

# Each prints what is wrong, and a count at its end.
checked() { # FILE [OPTION...]: its checks, as sm_80
    "$TDC" check "$@" --emu --target=sm_80 2>&1 | grep -E '^FAILED|error|passed'
}
by_hand() { # FILE.kernel: the same, or that sm_80 lacks something
    local said
    said=$(checked "${1%.kernel}.td" --kernels "$1")
    if grep -qE 'error\[E0903\]: .*(clusters|bulk)' <<<"$said"; then echo '1 passed, 0 failed'; else echo "$said"; fi
}
compiled() { # FILE: for all targets, with the options that the emitted rules have
    local stem=$dir/${1//\//_} log
    log=$("$TDC" "$1" "--target=$SOME" --prefix=m --emit=cu,c,h,driver -o "$stem.cu" 2>&1) &&
        log=$("$NVCC" -Xcicc -O1 -Xptxas -O0 -Werror all-warnings $(sed -n 's/^m_GENCODE := //p' "$stem.mk") -c -o "$stem.o" "$stem.cu" 2>&1) &&
        echo '1 passed, 0 failed' || printf '%s\n0 passed, 1 failed\n' "$1: ${log:0:2000}"
    rm -f "$stem".*
}
export -f checked by_hand compiled

jobs() { # one a line
    local f
    echo 'checked tests/targets/parts.td'
    echo 'by_hand tests/kernels/async_rows.kernel'
    [ -n "$NVCC" ] && echo 'compiled tests/targets/parts.td'
    [ "${TDC_EVERY:-}" = 1 ] || return
    for f in samples/*.td tests/numeric/*.td tests/language/*.td; do echo "checked $f"; done
    for f in tests/kernels/*.kernel; do echo "by_hand $f"; done
    [ -n "$NVCC" ] && for f in samples/*.td "$dir"/library/*.td; do echo "compiled $f"; done
}
if [ "${TDC_EVERY:-}" = 1 ]; then
    mkdir "$dir/library"
    for python in python3 /usr/bin/python3; do
        PYTHONDONTWRITEBYTECODE=1 $python tests/same/library.py "$dir/library" 2>"$dir/log" && break
    done
    [ "$(cat "$dir"/library/*.td | wc -l)" -gt 60 ]
    verdict $? "the standard library's functions cannot be listed: $(tail -n 3 "$dir/log")"
fi
jobs | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c '{}' >"$dir/log"
while read -r line; do
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    else
        echo "$line"
    fi
done < <(grep -vE '^ok|: [0-9]+ checks? ' "$dir/log")
[ "$passed" -ge "$(jobs | wc -l)" ]
verdict $? "a job has counted nothing"

# On a GPU a check compiles PTX alone where there is any: what a newer one runs.
printf '#!/bin/sh\necho "$@" >>"%s"\nexit 1\n' "$dir/called" >"$dir/nvcc"
chmod +x "$dir/nvcc"
NVCC=$dir/nvcc "$TDC" check tests/targets/parts.td --gpu --target=sm_80,sm_90a >"$dir/log" 2>&1
same 'check --gpu' "$? $(grep -oE -- '-gencode [a-z0-9=_,]+' "$dir/called" | paste -sd' ')" \
    '3 -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=sm_90a'

# The rules that are for copying have the flags of the emitted ones.
"$TDC" samples/softmax.td "--target=$ALL" --prefix=m --emit=driver -o "$dir/m.cu"
same 'samples/Makefile' "$(make -s -C samples "TARGETS=${ALL//,/ }" --eval 'flags: ; @echo $(GENCODE)' flags)" "$(sed -n 's/^m_GENCODE := //p' "$dir/m.mk")"
finish
