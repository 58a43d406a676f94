#!/bin/bash
# --without=PASS: what comes out differs, and is as correct; a pass that nothing works without is refused by name. With the
# fallback's schedules, which compile quickly, but for one program. Every other pass, and every other program without
# any; with TDC_EVERY=1 all.
cd "$(dirname "$0")/../.." || exit 1
export TDC_HOME=$PWD
TDC=$(realpath "${TDC:-build/tdc}")
. tests/suite.sh
quick_compilers

differs() { # PASS FILE: the kernels are others without it
    local all=$dir/${2##*/}.kernels
    [ -e "$all" ] || "$TDC" "$2" --dump=kernels >"$all" 2>/dev/null
    ! cmp -s "$all" <("$TDC" "$2" --dump=kernels --without="$1" 2>/dev/null)
    verdict $? "$2: the same kernels --without=$1"
}
correct() { # PASSES FILE
    "$TDC" check "$2" --emu --brief --without="$1" >"$dir/log" 2>&1
    verdict $? "tdc check $2 --emu --without=$1: $(tail -n 3 "$dir/log")"
}
refused() { # PASS TEXT
    "$TDC" samples/softmax.td --dump=kernels --without="$1" >"$dir/log" 2>&1
    [ $? = 2 ] && grep -qE "$2" "$dir/log"
    verdict $? "--without=$1 is not refused with /$2/: $(cat "$dir/log")"
}

all=$("$TDC" --help | sed -nE 's/^- ([a-z]+) +[a-z]+ .*/\1/p')
number=tests/numeric
for row in simplify:lib_yolo share:options split:lib_yolo flatten:options choose:lib_yolo parts:parts stream:chosen same:options; do
    turn 2 || continue
    pass=${row%%:*} file=$number/${row#*:}.td
    differs "$pass" "$file"
    case $pass in choose) correct choose "$file" ;; *) correct "choose,$pass" "$file" ;; esac
done
correct flatten,stream samples/softmax.td
for file in lib_norm updates_folded guarded zero_divisor; do turn 2 && correct "$(echo $all | tr ' ' ,)" $number/$file.td; done

# Every pass of the table is in one of the two lists.
for pass in $("$TDC" --help | sed -nE '/^passes/,/^options stand/ s/^  ([a-z]+) +[a-z]+ .*/\1/p'); do
    refused "$pass" "nothing works without $pass: --without knows simplify, "
done
refused tidy "no pass is named 'tidy': --without knows simplify, "
refused share,parse 'nothing works without parse'
finish
