#!/bin/bash
# The time that tdc takes grows with its input and no faster: programs of ten times as many definitions take at most
# MARGIN times the processor time. A thousand definitions take at most MOST milliseconds of it, and a hundred thousand
# HUGE, with 2 GB of addresses; a program of the suite takes at most SUITE, one of samples/, which have more kernels,
# SAMPLE, both with 100 MB. Without TDC_EVERY=1 it is every fourth program, 3000 for what grows, and 30000 functions and
# products for a hundred thousand of every kind, with their share of both limits. The limits are well above what an idle
# machine takes (tests/speed/measure.sh, suite.sh). Noise only adds: a time beyond its limit is measured again, three times at
# most, and the least counts. Where other programs have the machine's cores too, a time beyond its limit is what it would
# be on an idle one: a fixed piece of work (yardstick.c) is timed behind it.
cd "$(dirname "$0")/../.." || exit 1
tdc=$(realpath "${TDC:-${B:-build}/tdc}")
here=$PWD
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
MARGIN=35 FLOOR=10 MOST=300 HUGE=10000 SUITE=200 SAMPLE=300 # ten times, with noise; milliseconds below which a time says nothing
slow=1
[[ $tdc == */build/san/* ]] && slow=40
passed=0 failed=0
IDLE=68 # milliseconds of yardstick.c on the machine that the limits were set on (AMD EPYC, 3.3 GHz), the least of 14
${CC:-cc} -O2 -std=c11 "$here/tests/speed/yardstick.c" -o yardstick || exit 1

yardstick() { # its user time in milliseconds, the middle one of three; IDLE, where it is less
    local TIMEFORMAT='%U'
    for _ in 1 2 3; do { time ./yardstick >yardstick.txt; } 2>&1; done | sort -n |
        awk -v idle=$IDLE 'NR == 2 { ms = $1 * 1000 } END { printf "%d\n", (ms > idle ? ms : idle) }'
}

millis() { # FILE LIMIT: user time of a compilation; -1: it failed
    local TIMEFORMAT='%U' t ms least
    for _ in 1 2 3; do
        t=$({ time "$tdc" "$1" -o out.cu >out.txt 2>&1; } 2>&1) || { cat out.txt >&2; echo -1; return; }
        ms=$(awk '{ printf "%d\n", $1 * 1000 }' <<<"$t")
        [ "$ms" -le "$2" ] || ms=$((ms * IDLE / $(yardstick)))
        [ "$ms" -lt "${least:=$ms}" ] && least=$ms
        [ "$least" -le "$2" ] && break
    done
    echo "$least"
}

for kind in chain reverse dag functions calls outputs exports products rows; do
    large=5000 most=$MOST
    [ "${TDC_EVERY:-}" = 1 ] || large=3000
    case $kind in outputs | exports | products | rows) large=2000 ;; esac
    case $kind in exports) most=500 ;; esac
    python3 "$here/tests/speed/generate.py" $kind $((large / 10)) >small.td
    python3 "$here/tests/speed/generate.py" $kind 1000 >thousand.td
    python3 "$here/tests/speed/generate.py" $kind $large >large.td
    a=$(millis small.td $((most * slow)))
    [ "$a" -ge 0 ] && [ "$a" -lt $FLOOR ] && a=$FLOOR
    b=$(millis large.td $((a * MARGIN))) c=$(millis thousand.td $((most * slow)))
    if [ "$a" -ge 0 ] && [ "$b" -ge 0 ] && [ "$c" -ge 0 ] && [ "$b" -le $((a * MARGIN)) ] && [ "$c" -le $((most * slow)) ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$kind: $((large / 10)) definitions $a ms, $large $b ms, 1000 $c ms"
    fi
done

for kind in dag functions exports products rows; do
    [ $slow = 1 ] || continue
    huge=100000
    if [ "${TDC_EVERY:-}" != 1 ]; then
        case $kind in functions | products) huge=30000 ;; *) continue ;; esac
    fi
    python3 "$here/tests/speed/generate.py" $kind $huge >huge.td
    most=$((HUGE / 1000 * huge / 100))
    a=$(ulimit -v $((20 * huge)) && millis huge.td $most)
    if [ "$a" -ge 0 ] && [ "$a" -le $most ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$kind: $huge definitions $a ms"
    fi
done
# What an entry leaves in memory until the end: 10000 of them in 300 MB of addresses.
if [ $slow = 1 ]; then
    python3 "$here/tests/speed/generate.py" exports 10000 >many.td
    a=$(ulimit -v 300000 && millis many.td $HUGE)
    if [ "$a" -ge 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "exports: 10000 do not fit"
    fi
fi
n=0
for f in "$here"/samples/*.td "$here"/bench/suite/*.td; do
    [ $slow = 1 ] || continue
    [ "${TDC_EVERY:-}" = 1 ] || [ $((n++ % 4)) = 0 ] || continue
    most=$SUITE
    [[ $f == */samples/* ]] && most=$SAMPLE
    a=$(ulimit -v 100000 && millis "$f" $most)
    if [ "$a" -ge 0 ] && [ "$a" -le $most ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "${f#"$here/"}: $a ms"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
