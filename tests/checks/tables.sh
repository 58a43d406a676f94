#!/bin/bash
# Completeness of the tables: every row has its counterparts where the compiler itself cannot insist on them. A line of
# `rows` names a table's rows, the files that must know each row, and how they write it.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
verdict() { # OK? what
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "$2"; fi
}

# First fields of the rows of a table: rows FILE MACRO [FIELD]
rows() { sed -nE "s/^$2\(([^)]*)\).*/\1/p" "$1" | awk -F', *' -v f="${3:-1}" '{ print $f }'; }

# Every row's name occurs in one of the files, written as PREFIX_ROW.
known() { # TABLE MACRO PREFIX FILES...
    local table=$1 macro=$2 prefix=$3 row
    shift 3
    for row in $(rows "$table" "$macro"); do
        grep -qE "\b$prefix$row\b" "$@" 2>/dev/null
        verdict $? "$table: $macro($row) is not known to ${*}"
    done
}

if compgen -G 'backend_cuda/lower*.c' >/dev/null; then
    known sched/stages.def STAGE STAGE_ backend_cuda/lower*.c
    for bind in $(rows sched/binds.def BIND | grep -v MMA); do # a later issue lowers it
        grep -qE "\bBIND_$bind\b" backend_cuda/lower*.c sched/kernel_finish.c
        verdict $? "sched/binds.def: $bind is not known to the lowering"
    done
fi
for file in sched/kernel_verify*.c; do [ -e "$file" ] && known sched/stages.def STAGE STAGE_ sched/kernel_verify*.c && break; done

# Functions on elements: a device function each, by the operator's name.
for op in $(awk -F'[(,]' '/^OP\(/ { gsub(/[ "]/, ""); if ($0 ~ /CALL,(FLOAT|TEST)\)/) print $3 }' ir/ops.def); do
    [ "$op" = round ] && op=round_even
    grep -qE "\btd_$op\b" backend_cuda/prelude.cuh
    verdict $? "ir/ops.def: $op has no td_$op in backend_cuda/prelude.cuh"
done
known ir/monoids.def MONOID MONOID_ sched/kernel.c
known ir/monoids.def MONOID MONOID_ ir/interp*.c

# Every device function of the prelude has a body in the stand-in, unless it is written in terms of others.
if [ -d backend_cuda/emu ]; then
    for name in $(sed -nE '/^\/\/@ portable/d; s/^\/\/@ //p' backend_cuda/prelude.cuh); do
        grep -qhE "\b$name\b" backend_cuda/emu/*.h
        verdict $? "backend_cuda/prelude.cuh: $name has no body in backend_cuda/emu"
    done
fi

# Numbers of diagnostics are unique.
dup=$(rows ir/diags.def DIAG | sort | uniq -d | tr '\n' ' ')
[ -z "$dup" ]
verdict $? "ir/diags.def: number given twice: $dup"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
