#!/bin/bash
# All tests of tdc that need no GPU, or with --gpu the numeric ones on the GPU of this machine. Run by `make check` after
# building. --update rewrites the expectations of the golden tests from what tdc prints now.
#
# A test is a job: a command whose exit status says whether it passed. A job whose last line reads `N passed, M failed`
# counts as that many tests. What is run:
#   build/unit/*           unit tests
#   tests/checks/*.sh      the project's structure, and the emitted files under the compilers' warnings
#   tests/golden/X.td      each sibling X.PASS is what `tdc X.td --dump=PASS` prints
#   tests/errors/X.td      each line's comment `// expect error[E0123]: text` is what is reported there, and nothing else
#   tests/*/run.sh         a suite of its own, most with suite.sh (tests/large, library, ulp, python and readme with --gpu too)
#   tests/kernels/X.td     `tdc check` with the kernels written by hand in X.kernel
#   tests/numeric/*.{td,graph}, tests/language/*.td, samples/*.td   `tdc check`; unit/test_language says that the latter mean what they should
# Of what takes long this is a sample, with TDC_EVERY=1 all of it, which `make check-all` runs: suites take some of many (suite.sh,
# turn), and `check` lines of programs that end in `// check-all` are left out (tests/sample.sh), but for --gpu.
# NAMES as further arguments choose the jobs whose name contains one of them. --times prints what each took: seconds of processors
# and of the clock. The stand-in's programs of the last two lines are compiled without optimisation, but for those with a line
# `// runs long`.
set -u
cd "$(dirname "$0")/.." || exit 1
export B=${B:-build} TDC=${TDC:-${B:-build}/tdc} UPDATE=0 TARGET=--emu
times=0
# unit/test_memory: the sanitizers see every allocation, and are slow
if [[ $B == */san ]]; then
    export TDC_STRIDE=${TDC_STRIDE:-101}
elif [ "${TDC_EVERY:-}" != 1 ]; then
    export TDC_STRIDE=${TDC_STRIDE:-5}
fi
only=()
for a in "$@"; do
    case $a in
        --update) UPDATE=1 ;;
        --gpu) TARGET=--gpu ;;
        --times) times=1 ;;
        -*) echo "usage: tests/run.sh [--update] [--gpu] [--times] [NAME...]" >&2; exit 2 ;;
        *) only+=("$a") ;;
    esac
done
TDC_CACHE=$(realpath -m "$B")/cache # what `tdc check` builds goes to a cache of the tests' own
export TDC_CACHE
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# These begin first, so that none of them runs on alone at the end (--times says which take long).
longest='same versions exact cli stdlib instances speed checks/emitted memory numeric/chunked tuned emu outputs schedules explain targets mutation random'
longest_first() {
    [ $TARGET = --emu ] || exec cat
    awk -F'\t' -v longest="$longest" '
        BEGIN { n = split(longest, name, " "); for (i = 1; i <= n; i++) rank[name[i]] = i }
        $1 in rank { first[rank[$1]] = $0; next }
        { rest[++m] = $0 }
        END {
            for (i = 1; i <= n; i++) print i in first ? first[i] : name[i] "\techo tests/run.sh: no job has the name of one of the longest; false"
            for (i = 1; i <= m; i++) print rest[i]
        }'
}

jobs() { # one a line: name, a tab, command
    local f kernels program quick=
    if [ $TARGET = --emu ]; then
        for f in tests/unit/*.c; do [ -e "$f" ] && f=${f##*/} && printf 'unit/%s\t%s\n' "${f%.c}" "$B/unit/${f%.c}"; done
        for f in tests/checks/*.sh; do [ -e "$f" ] && printf 'checks/%s\tbash %s\n' "$(basename "$f" .sh)" "$f"; done
        for f in tests/golden/*.td tests/golden/*.kernel; do [ -e "$f" ] && printf 'golden/%s\tbash tests/golden.sh %s\n' "${f##*/}" "$f"; done
        for f in tests/errors/*.td; do [ -e "$f" ] && printf 'errors/%s\tbash tests/errors.sh %s\n' "${f##*/}" "$f"; done
        for f in tests/*/run.sh; do [ -e "$f" ] && printf '%s\tbash %s\n' "$(basename "$(dirname "$f")")" "$f"; done
    fi
    [ -x "$TDC" ] || return
    [ $TARGET = --gpu ] && printf 'large\tbash tests/large/run.sh\nlibrary\tbash tests/library/run.sh\nulp\tbash tests/ulp/run.sh\nhost\tbash tests/host/run.sh\npython\tbash tests/python/run.sh --gpu\nreadme\tbash tests/readme/run.sh --gpu\n'
    [ $TARGET = --emu ] && quick=$(. tests/suite.sh && quick_compilers && echo "TDC_STAND_IN=$TDC_STAND_IN CC=$CC CXX=$CXX ")
    for f in tests/kernels/*.td tests/numeric/*.td tests/numeric/*.graph tests/language/*.td samples/*.td; do
        kernels=
        [[ $f == tests/kernels/* ]] && kernels="--kernels ${f%.td}.kernel" && [ ! -e "${f%.td}.kernel" ] && continue
        [ -e "$f" ] || continue
        program=$f
        [ $TARGET = --gpu ] || program=$(bash tests/sample.sh "$f")
        [ -n "$program" ] || continue
        printf '%s\t%s%s check %s %s %s\n' "$(n=${f%.td}; echo "${n#tests/}")" "$(grep -q '^// runs long' "$f" || echo "$quick")" "$TDC" "$program" "$TARGET" "$kernels"
    done
}

run_job() { # NUMBER NAME COMMAND: output to $out/NUMBER.log, "passed failed" to $out/NUMBER.sum
    local log=$out/$1.log p=0 f=0 last TIMEFORMAT='%U %S %R'
    if { time bash -c "$3" >"$log" 2>&1; } 2>"$out/time.$1"; then p=1; else f=1; fi
    echo "$(tail -n 1 "$out/time.$1") $2" >"$out/time.$1"
    last=$(tail -n 1 "$log")
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        p=${BASH_REMATCH[1]}
        [ "${BASH_REMATCH[2]}" -gt "$f" ] && f=${BASH_REMATCH[2]}
    fi
    echo "$p $f" >"$out/$1.sum"
    if [ "$f" = 0 ]; then
        echo "ok      $2"
    else
        { echo "FAILED  $2"; tail -n 40 "$log" | sed 's/^/        /'; }
    fi
}
export -f run_job
export out

n=0
while IFS=$'\t' read -r name command; do
    if [ ${#only[@]} -gt 0 ]; then
        keep=0
        for o in "${only[@]}"; do [[ $name == *"$o"* ]] && keep=1; done
        [ $keep = 1 ] || continue
    fi
    n=$((n + 1))
    printf '%s\0%s\0%s\0' $n "$name" "$command"
done < <(jobs | longest_first) | xargs -0 -r -n 3 -P "${JOBS:-$(nproc)}" bash -c 'run_job "$@"' _

[ $times = 0 ] || cat "$out"/time.* | awk '{ printf "%6.1f %6.1f  %s\n", $1 + $2, $3, $4 }' | sort -rn
cat "$out"/*.sum 2>/dev/null | awk '{ p += $1; f += $2 } END { printf "%d passed, %d failed\n", p, f; exit f > 0 || p == 0 }'
