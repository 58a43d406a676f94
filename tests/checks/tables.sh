#!/bin/bash
# Completeness of the tables: every row has its counterparts where the compiler itself cannot insist on them. A line of
# `rows` names a table's rows, the files that must know each row, and how they write it.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh

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

if compgen -G 'backend_cuda/lower/lower*.c' >/dev/null; then
    known sched/kernel/stages.def STAGE STAGE_ backend_cuda/lower/lower*.c
    for bind in $(rows sched/kernel/binds.def BIND | grep -v MMA); do # a later issue lowers it
        grep -qE "\bBIND_$bind\b" backend_cuda/lower/lower*.c sched/kernel/kernel_finish.c
        verdict $? "sched/kernel/binds.def: $bind is not known to the lowering"
    done
fi
for file in sched/kernel_verify*.c; do [ -e "$file" ] && known sched/kernel/stages.def STAGE STAGE_ sched/kernel_verify*.c && break; done

# Functions on elements: a device function each, by the operator's name.
for op in $(awk -F'[(,]' '/^OP\(/ { gsub(/[ "]/, ""); if ($0 ~ /CALL,(FLOAT|TEST)\)/) print $3 }' ir/ops.def); do
    [ "$op" = round ] && op=round_even
    grep -qE "\btd_$op\b" backend_cuda/prelude/*.cuh
    verdict $? "ir/ops.def: $op has no td_$op in backend_cuda/prelude"
done
known ir/monoids.def MONOID MONOID_ ir/interp/interp*.c
for op in $(awk -F', *' '/^MONOID\(/ && $8 ~ /^"/ { gsub(/"/, "", $8); print $8 }' ir/monoids.def); do
    grep -qE "\btd_atomic_$op\b" backend_cuda/prelude/*.cuh
    verdict $? "ir/monoids.def: td_atomic_$op is not in backend_cuda/prelude"
done

# What emitted code calls of the prelude (from the lowering, from the entries that both targets share, and a function for each
# operator) is declared by the stand-in.
users=$dir/users probe=$dir/probe.cpp
awk '/^\/\/@/ { p = /portable/; next } p' backend_cuda/prelude/*.cuh >"$users"
cat backend_cuda/lower/lower*.c >>"$users"
awk -F'[(,]' '/^OP\(/ { gsub(/[ "]/, ""); if ($0 ~ /CALL,(FLOAT|TEST)\)/) print "td_" $3 }' ir/ops.def >>"$users"
echo '#include "cuda_runtime.h"' >"$probe"
for name in $(sed -nE '/^\/\/@ portable/d; s/^\/\/@ //p' backend_cuda/prelude/*.cuh | tr ' ' '\n' | grep '^td_'); do
    grep -qw "$name" "$users" && printf '#ifndef %s\nnamespace probe { using ::%s; }\n#endif\n' "$name" "$name" >>"$probe"
done
missing=$(g++ -std=c++17 -fsyntax-only -I backend_cuda/emu "$probe" 2>&1)
[ -z "$missing" ] || grep -q 'has not been declared' <<<"$missing"
verdict $? "backend_cuda/emu does not compile: $(head -n 20 <<<"$missing")"
for name in $(sed -nE 's/^namespace probe \{ using ::([a-z0-9_]+); \}/\1/p' "$probe"); do
    grep -qE "\b$name\b" <<<"$(grep error <<<"$missing")"
    [ $? = 1 ]
    verdict $? "backend_cuda/prelude: $name has no counterpart in backend_cuda/emu"
done

# The bounds of errors in docs/language.md are those of ir/ulp.def.
while read -r op f32 f64; do
    text=$(sed -nE "s/^OP\($op, \"([^\"]*)\".*/\1/p" ir/ops.def)
    line=$(grep -E "^\| $f32 \|" docs/language.md)
    grep -qF -e "\`$text " -e " $text " -e " $text\`" -e "\`$text\`" <<<"$line" && { [ "$f32" = "$f64" ] || grep -qE "$text\` \($f64 in \`f64\`\)" <<<"$line"; }
    verdict $? "docs/language.md: 9.9 does not give $text the bounds $f32, $f64 of ir/ulp.def"
done < <(sed -nE 's/^ULP\((\w+), ([0-9]+), ([0-9]+).*/\1 \2 \3/p' ir/ulp.def)

# Numbers of diagnostics are unique.
dup=$(rows ir/diags.def DIAG | sort | uniq -d | tr '\n' ' ')
[ -z "$dup" ]
verdict $? "ir/diags.def: number given twice: $dup"

finish
