#!/bin/bash
# Completeness of the tables: every row has its counterparts where the compiler itself cannot insist on them. A table that this file
# does not name is reported, so that whoever adds one says what must know its rows, or that the compiler does.
# CHECKED is the folder that is checked; planted_tables.sh plants faults in a copy and sees that each is reported.
here=$(cd "$(dirname "$0")/../.." && pwd)
cd "$here" || exit 1
. tests/suite.sh
cd "${CHECKED:-$here}" || exit 1

# Field FIELD of the rows of a table, without quotes; a row may go on in the next line: rows FILE MACRO [FIELD]
rows() { sed -nE "s/^$2\(//p" "$1" | awk -F', *' -v f="${3:-1}" '{ gsub(/[")]/, "", $f); sub(/ *\/\*.*/, "", $f); print $f }'; }

# Field FIELD of every row occurs in one of the files, as a word between BEFORE and AFTER, patterns of extended regular expressions.
known() { # TABLE MACRO FIELD BEFORE AFTER FILES...
    local table=$1 macro=$2 field=$3 before=$4 after=$5 row n=0
    shift 5
    for row in $(rows "$table" "$macro" "$field"); do
        n=$((n + 1))
        grep -qE -- "$before$row$after" "$@" 2>/dev/null
        verdict $? "$table: $macro($row) is not known to $*"
    done
    [ $n -gt 0 ]
    verdict $? "$table: has no rows $macro"
}
named=
tables() { named="$named $*"; }

# ---- operators: a device function each, its counterpart on the stand-in, a bound of its error, a reference, a line in the page ----
tables ir/ops.def ir/ulp.def
# The functions that the prelude has for the operators: TD(f): td_f, FAST(f): td_fast_f, BOTH(f), ALL(f): and td_under_f.
functions() { sed -nE 's/^OP\(.*, (TD|FAST|BOTH|ALL)\(([a-z0-9_]+)\), .*/\1 \2/p' ir/ops.def |
    awk '$1 != "FAST" { print "td_" $2 } $1 != "TD" { print "td_fast_" $2 } $1 == "ALL" { print "td_under_" $2 }'; }
for name in $(functions); do
    awk '/^\/\/@/' backend_cuda/prelude/*.cuh | grep -qw "$name"
    verdict $? "ir/ops.def: $name is not in backend_cuda/prelude/math.cuh"
done
bounded=$(rows ir/ulp.def ULP | sort)
floats=$(sed -nE 's/^OP\((\w+), "[^"]*", -?[0-9]+, \w+, (ARITH|FLOAT),.*/\1/p' ir/ops.def | sort)
same "ir/ulp.def: the operators on floats of ir/ops.def that have no bound, and the others" \
    "$(comm -3 <(echo "$bounded") <(echo "$floats") | tr -d '\t' | tr '\n' ' ')" ""
# What math.h computes (LIBM) has its reference from there.
for op in $(sed -nE 's/^OP\((\w+), "[^"]*", -?[0-9]+, \w+, (ARITH|FLOAT), .*\bGLUE\b.*/\1/p' ir/ops.def); do
    grep -qE "^REFERENCE\($op," tests/ulp/reference.h
    verdict $? "ir/ops.def: $op has no REFERENCE in tests/ulp/reference.h"
done
# What the language calls by name: what has a meaning is documented, and sema and the compiler know the row (the compiler insists
# on a case of sema_call.c for functions on elements); what comes later is said to, with what serves instead, wherever it may stand.
tables frontend/ast/builtins.def
for row in $(rows frontend/ast/builtins.def BUILTIN); do
    name=$(sed -nE "s/^BUILTIN\($row, (\w+),.*/\1/p" frontend/ast/builtins.def)
    grep -qE "\bBUILTIN_$row\b" frontend/sema/*.c
    verdict $? "frontend/ast/builtins.def: BUILTIN($row) is not known to frontend/sema"
    grep -qE "\`[^\`]*\b$name\b[^\`]*\`" docs/language.md
    verdict $? "docs/language.md does not speak of $name of frontend/ast/builtins.def"
done
for row in $(rows frontend/ast/builtins.def RANKING); do
    name=$(sed -nE "s/^RANKING\($row, (\w+),.*/\1/p" frontend/ast/builtins.def)
    grep -qE "\`[^\`]*\b$name\b[^\`]*\`" docs/language.md
    verdict $? "docs/language.md does not speak of $name of frontend/ast/builtins.def"
done
while read -r name kind; do
    case $kind:$name in
        ELEMENT:*) body="y[i] = $name(x[i]);" ;;
        TENSOR:*) body="y = $name(x);" ;;
        FUNCTION:*) body="y = $name(exp)(x);" ;;
        REDUCTION:*) body="y[i] = $name[k](x[k]);" ;;
        *) body= ;;
    esac
    text="export fn f(x: f32[N]) -> (y: f32[N]) { $body }"
    case $name in
        struct) text="struct S { a: f32[N]; }" ;;
        extern) text='extern fn e(x: f32) -> f32 = "e";' ;;
        ragged | shard) text="export fn f(x: f32[$name N]) -> (y: f32[N]) { y[i] = x[i]; }" ;;
    esac
    echo "$text" >"$dir/later.td"
    "${TDC:-${B:-build}/tdc}" "$dir/later.td" --dump=sema >"$dir/later.txt" 2>&1
    grep -qE "error\[E0002\].*\bnot yet\b" "$dir/later.txt" && grep -q "= help: " "$dir/later.txt"
    verdict $? "frontend/ast/builtins.def: $name is not said to come later, with what serves instead: $(head -n 2 "$dir/later.txt")"
done < <(sed -nE 's/^LATER\(\w+, (\w+), (\w+),.*/\1 \2/p' frontend/ast/builtins.def)

# Of what the language's page says: a function in 9.9 with the bounds of ir/ulp.def.
while read -r op f32 f64; do
    text=$(sed -nE "s/^OP\($op, \"([^\"]*)\".*/\1/p" ir/ops.def)
    line=$(grep -E "^\| $f32 \|" docs/language.md)
    grep -qF -e "\`$text " -e " $text " -e " $text\`" -e "\`$text\`" <<<"$line" && { [ "$f32" = "$f64" ] || grep -qE "$text\` \($f64 in \`f64\`\)" <<<"$line"; }
    verdict $? "docs/language.md: 9.9 does not give $text the bounds $f32, $f64 of ir/ulp.def"
done < <(sed -nE 's/^ULP\((\w+), ([0-9]+), ([0-9]+).*/\1 \2 \3/p' ir/ulp.def)

# What emitted code calls of the prelude (from the lowering, from the entries that both targets share, and a function for each
# operator) is declared by the stand-in.
users=$dir/users probe=$dir/probe.cpp
awk '/^\/\/@/ { p = /portable/; next } p' backend_cuda/prelude/*.cuh >"$users"
cat backend_cuda/lower/lower*.c >>"$users"
functions >>"$users"
echo '#include "cuda_runtime.h"' >"$probe"
for name in $(sed -nE '/^\/\/@ portable/d; s/^\/\/@ //p' backend_cuda/prelude/*.cuh | tr ' ' '\n' | grep '^td_'); do
    grep -qw "$name" "$users" && printf '#ifndef %s\nnamespace probe { using ::%s; }\n#endif\n' "$name" "$name" >>"$probe"
done
# An operator's function that the prelude lacks, too, is looked for, so that both places are named at once.
for name in $(functions); do
    grep -qhE "^//@.*\b$name\b" backend_cuda/prelude/*.cuh || printf 'namespace probe { using ::%s; }\n' "$name" >>"$probe"
done
missing=
for floats in '' -DTD_EXACT_BITS=16; do # in exact algebra, too
    said=$(${CXX:-g++} -std=c++17 -fsyntax-only $floats -I backend_cuda/emu "$probe" 2>&1)
    [ -z "$said" ] || grep -q 'has not been declared' <<<"$said"
    verdict $? "backend_cuda/emu does not compile: $(head -n 20 <<<"$said")"
    missing+=$said
done
for name in $(sed -nE 's/^namespace probe \{ using ::([a-z0-9_]+); \}/\1/p' "$probe"); do
    grep -qE "\b$name\b" <<<"$(grep error <<<"$missing")"
    [ $? = 1 ]
    verdict $? "$name has no counterpart in backend_cuda/emu (functions.def)"
done

# ---- types: what the emitted code's types are, on the device, on the stand-in and in model.h ----
tables ir/types.def
known ir/types.def TYPE 2 '[` ]' '[` ]' docs/language.md
for type in $(rows ir/types.def TYPE 10 | grep '^td_'); do
    grep -qE "\b$type\b" backend_cuda/prelude/elements.cuh
    verdict $? "ir/types.def: memory type $type is not in backend_cuda/prelude/elements.cuh"
    grep -qE "\b$type\b" backend_cuda/emu/*.h
    verdict $? "ir/types.def: memory type $type is not in backend_cuda/emu"
done
for type in $(sed -nE 's/^TYPE\((\w+),.*, td_\w+_t, .*/\1/p' ir/types.def); do
    grep -qE "\bTY_$type\b" backend_cuda/glue/glue_arguments.c
    verdict $? "ir/types.def: the elements of $type are not declared by backend_cuda/glue/glue_arguments.c"
done

# ---- monoids: tests/unit has the rest ----
tables ir/monoids.def
known ir/monoids.def MONOID 1 '\bMONOID_' '\b' ir/interp/*.c
known ir/monoids.def MONOID 2 '`' '\b' docs/language.md
for atomic in $(rows ir/monoids.def MONOID 8 | grep -vx NULL); do
    grep -qE "\btd_atomic_$atomic\b" backend_cuda/prelude/*.cuh
    verdict $? "ir/monoids.def: td_atomic_$atomic is not in backend_cuda/prelude"
done

# ---- the Kernel form: each stage is read, printed, verified and lowered; each binding is lowered ----
tables sched/kernel/stages.def sched/kernel/binds.def sched/kernel/steps.def
for part in sched/kernel/kernel_read sched/kernel/kernel_print sched/kernel/kernel_verify backend_cuda/lower/lower; do
    known sched/kernel/stages.def STAGE 1 '\bSTAGE_' '\b' "$part"*.c
done
# The fragment of a matrix instruction: the verifier refuses it, by its name.
for bind in $(rows sched/kernel/binds.def BIND); do
    lowered=(backend_cuda/lower/lower*.c sched/kernel/kernel_finish.c)
    [ "$bind" = MMA ] && lowered=(sched/kernel/kernel_verify*.c)
    grep -qE "\bBIND_$bind\b" "${lowered[@]}"
    verdict $? "sched/kernel/binds.def: $bind is not known to ${lowered[*]}"
done

# The compiler asks for each kind of step. A text that runs has one of each row, and the page of the form says what it is.
known sched/kernel/steps.def STEP 2 '^ *' ' ' tests/kernels/*.kernel
known sched/kernel/steps.def STEP 2 '^ *' ' ' sched/kernel/README.md
known sched/kernel/stages.def STAGE 2 '^ *([^=]*= )?' '( |$)' tests/kernels/*.kernel
known sched/kernel/stages.def STAGE 2 '^\| `([^=`|]*= )?' '( |`)' sched/kernel/README.md

# ---- steps of schedules: each makes a text of tests/kernels, and the page of schedules says what it is ----
tables sched/search/schedule_steps.def
known sched/search/schedule_steps.def SCHEDULE_STEP 2 '; ' ' ' tests/kernels/*.schedule
known sched/search/schedule_steps.def SCHEDULE_STEP 3 '; \w+ \w+ ' '( |;|$)' tests/kernels/*.schedule
known sched/search/schedule_steps.def SCHEDULE_STEP 2 '^\| `' ' ' sched/search/README.md

# ---- targets: the stand-in can be each, and the pages name it ----
tables sched/machine/targets.def backend_cuda/emu/devices.def
for target in $(rows sched/machine/targets.def TARGET); do
    grep -qE "^DEVICE\($(sed -E 's/^sm_([0-9]+)[a-z]*$/\1/' <<<"$target")," backend_cuda/emu/devices.def
    verdict $? "sched/machine/targets.def: $target is no row of backend_cuda/emu/devices.def"
    for page in frontend/driver/options.def docs/tdc.1; do
        grep -qwF "$target" "$page"
        verdict $? "sched/machine/targets.def: $target is not in $page"
    done
done

# ---- the library ----
tables sched/library/epilogues.def sched/library/products.def sched/library/tuning.def
known sched/library/epilogues.def EPILOGUE 1 '\bACT_' '\b' backend_cuda/glue/glue_library.c
known sched/library/products.def PRODUCT_TYPES 1 '^TYPE\(' ',' ir/types.def
known sched/library/tuning.def PRODUCT 3 '\b' '\b' sched/library/tuning.h
known sched/library/tuning.def CHOICE 2 '\b' '\b' sched/library/tuning.h

# ---- the language's options, the command line, the C interface ----
tables ir/options.def frontend/driver/options.def frontend/driver/commands.def frontend/driver/passes.def frontend/driver/emits.def
tables frontend/driver/places.def backend_cuda/glue/statuses.def
known ir/options.def OPTION 2 '\b' '\b' docs/language.md
known ir/options.def OPTION_VALUE 1 '^OPTION\(' ',' ir/options.def
sed 's/Fl /-/g' docs/tdc.1 >"$dir/page"
known frontend/driver/options.def OPTION 2 '' '\b' "$dir/page"
known frontend/driver/commands.def COMMAND 2 '' '' docs/tdc.1
known frontend/driver/passes.def PASS 1 '\bpass_' '\b' frontend/driver/driver_passes.c
known frontend/driver/emits.def EMIT 1 '\bEMIT_' '\b' frontend/driver/driver*.c
for place in $(rows frontend/driver/places.def PLACE 3); do
    [ -d "$place" ]
    verdict $? "frontend/driver/places.def: there is no folder $place"
done
# A row of these two names its part, which parts.sh asks for.
tables backend_cuda/glue/checks.def backend_cuda/glue/host_fns.def
known backend_cuda/glue/statuses.def STATUS 1 '(\b|_)' '\b' docs/interface.md

# ---- the stand-in ----
tables backend_cuda/emu/report_kinds.def backend_cuda/emu/functions.def
known backend_cuda/emu/report_kinds.def KIND 1 '\bKIND_' '\b' backend_cuda/emu/rt*.h backend_cuda/emu/runtime.cpp

# ---- what operators issue, and what machines are (machine.c holds h200.def to machine.def) ----
tables sched/search/issue.def sched/machine/machine.def sched/machine/h200.def sched/machine/h100.def
known sched/search/issue.def ISSUE 1 '^(OP|COMPARISON)\(' ',' ir/ops.def
known sched/search/issue.def UNDER 1 '^OP\(' ',.*\bALL\(' ir/ops.def
known sched/search/issue.def COUNT 1 '\b' '\b' sched/search/features_issue.c
known sched/search/issue.def ACCESS 1 '\b' '\b' sched/search/judge.c
known sched/search/issue.def BESIDE 1 '\b' '\b' sched/search/features_access.c
computed=$(sed -nE 's/^COMPARISON\((\w+),.*/\1 COMPARE/p; s/^OP\((\w+), "[^"]*", -?[0-9]+, \w+, (\w+),.*/\1 \2/p' ir/ops.def |
    awk '$2 != "NONE" { print $1 }' | sort)
same "sched/search/issue.def: operators of ir/ops.def without a row, and the others" \
    "$(comm -3 <(rows sched/search/issue.def ISSUE | sort) <(echo "$computed") | tr -d '\t' | tr '\n' ' ')" ""
same "sched/machine/machine.def: rows without a name, a unit, a range and what they are" "$(grep -E '^FIGURE' sched/machine/machine.def |
    grep -vE '^FIGURE\([a-z0-9_]+, "[^"]{3,}", [0-9.e-]+, [0-9.e-]+, "[^"]{3,}"\)$')" ""
for file in sched/machine/h200.def sched/machine/h100.def; do
    same "$file: rows without a name, a value and a source" "$(grep -E '^VALUE' "$file" | grep -vE '^VALUE\([a-z0-9_]+, [0-9.e-]+, "[^"]{3,}"\)$')" ""
done

# ---- rules (tests/unit/test_rules.c), diagnostics (tests/diag), constants of the cost (numbers.sh) ----
tables ir/rules.def ir/diags.def sched/search/cost.def
same "ir/rules.def: names given twice" "$(rows ir/rules.def RULE | sort | uniq -d | tr '\n' ' ')" ""
same "ir/diags.def: numbers given twice" "$(sed -zE 's/DIAG\(\n */DIAG(/g' ir/diags.def | sed -nE 's/^DIAG\(([0-9]+),.*/\1/p' | sort | uniq -d | tr '\n' ' ')" ""

for table in $(find ir sched frontend backend_cuda grammar stdlib -name '*.def' | sort); do
    [[ " $named " == *" $table "* ]]
    verdict $? "$table: tests/checks/tables.sh does not say what must know its rows"
done
finish
