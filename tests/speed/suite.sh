#!/bin/bash
# Prints what each program of the suite and of samples/ costs to compile, one a line: milliseconds of a
# processor (user and system together, the median of five) and memory of tdc, and with options more:
#   tests/speed/suite.sh [--instructions] [--nvcc] [--fixed | --bare] [NAME...]
# --instructions has valgrind count those of tdc, which no other load of the machine changes. --nvcc compiles what tdc writes:
# seconds of processors, the registers of the hungriest kernel, and bytes of local memory (stack and spills), which should be 0.
# --fixed gives all lengths of the first `bench` line to the compiler; --bare says nothing of lengths, as bench/measure.py has
# it (no bench or check line, no hint). NAMES are parts of the files' names.
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-${B:-build}/tdc}")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
arch=compute_90a,code=sm_90a
instructions= nvcc= fixed= bare= names=()
for a in "$@"; do
    case $a in
        --instructions) instructions=1 ;;
        --nvcc) nvcc=1 ;;
        --fixed) fixed=1 ;;
        --bare) bare=1 ;;
        -*) echo "usage: tests/speed/suite.sh [--instructions] [--nvcc] [--fixed | --bare] [NAME...]" >&2; exit 2 ;;
        *) names+=("$a") ;;
    esac
done
chosen() { # FILE
    local n
    [ ${#names[@]} -gt 0 ] || return 0
    for n in "${names[@]}"; do [[ $1 == *"$n"* ]] && return 0; done
    return 1
}
lengths() { # FILE: options -D for the lengths of its first `bench` line
    sed -n 's/^bench [a-z_0-9]*(\([^)]*\)).*/\1/p' "$1" | head -n 1 | grep -oE '[A-Z][A-Za-z0-9_]* = [0-9]+' | sed 's/ //g; s/^/-D /'
}

TIMEFORMAT='%3U %3S'
row='%-36s %8s %8s'
printf "$row" "file" "tdc ms" "MB"
[ -z "$instructions" ] || printf ' %10s' "M instr."
[ -z "$nvcc" ] || printf ' %8s %9s %8s' "nvcc s" "registers" "local B"
echo
for f in samples/*.td bench/suite/*.td; do
    chosen "$f" || continue
    options=() source=$f
    [ -z "$fixed" ] || mapfile -t options < <(lengths "$f" | tr ' ' '\n')
    if [ -n "$bare" ]; then
        source=$dir/bare.td
        sed -E '/^(bench|check|dim [A-Za-z_0-9]+ hint) [^;]*;/d' "$f" >"$source"
        options=(-I "$(dirname "$f")")
    fi
    run=("$tdc" "$source" "${options[@]}" -o "$dir/out.cu")
    : >"$dir/times" >"$dir/memory"
    for _ in 1 2 3 4 5; do
        { time /usr/bin/time -a -o "$dir/memory" -f '%M' "${run[@]}" >"$dir/log" 2>&1; } 2>>"$dir/times" || { echo "$f: failed"; cat "$dir/log"; continue 2; }
    done
    printf "$row" "$f" "$(awk '{ print 1000 * ($1 + $2) }' "$dir/times" | sort -g | sed -n 3p)" \
        "$(sort -g "$dir/memory" | tail -n 1 | awk '{ printf "%.1f", $1 / 1024 }')"
    if [ -n "$instructions" ]; then
        printf ' %10s' "$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "${run[@]}" 2>&1 | awk '/Collected/ { printf "%.1f", $NF / 1e6 }')"
    fi
    if [ -n "$nvcc" ]; then
        : >"$dir/times"
        /usr/bin/time -o "$dir/times" -f '%U %S' nvcc -gencode arch=$arch -std=c++17 -O3 --cubin -Xptxas -v -o "$dir/out.cubin" "$dir/out.cu" >"$dir/log" 2>&1 ||
            cat "$dir/log"
        printf ' %8s %9s %8s' "$(awk '{ printf "%.1f", $1 + $2 }' "$dir/times")" \
            "$(grep -oE 'Used [0-9]+' "$dir/log" | awk '$2 > m { m = $2 } END { print m + 0 }')" \
            "$(grep -oE '[0-9]+ bytes (stack frame|spill [a-z]+)' "$dir/log" | awk '{ n += $1 } END { print n + 0 }')"
        rm -f "$dir/times"
    fi
    echo
done
