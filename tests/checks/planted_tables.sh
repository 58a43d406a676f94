#!/bin/bash
# tables.sh and numbers.sh report what they are for: each fault, planted in a copy of the sources, makes the check fail and name the
# place.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
copy=$dir/copy
mkdir "$copy"
cp -r ir sched frontend backend_cuda grammar stdlib docs "$copy"
mkdir -p "$copy/tests" && cp -r tests/ulp tests/kernels "$copy/tests"
# All faults of a check are planted together, since each is of a table of its own, and the check is run once.
expected=()
plant() { # CHECK FILE SED NAMED...
    local words
    cp "$copy/$2" "$dir/before"
    sed -i -E "$3" "$copy/$2"
    ! cmp -s "$dir/before" "$copy/$2"
    verdict $? "the fault in $2 is planted: $3"
    for words in "${@:4}"; do expected+=("$1"$'\t'"$words"); done
}
notices() { # CHECK
    local status words
    CHECKED=$copy bash "tests/checks/$1.sh" >"$dir/said" 2>&1
    status=$?
    for words in "${expected[@]}"; do
        [[ $words == "$1"$'\t'* ]] || continue
        [ $status != 0 ] && grep -F FAILED "$dir/said" | grep -qF -- "${words#*$'\t'}"
        verdict $? "$1.sh does not name '${words#*$'\t'}'"
    done
}
CBRT='OP(CBRT, "cbrt", 1, CALL, FLOAT, TD(cbrt), LIBM(cbrt), D("1.0 \/ (3.0 * y * y)"))'
plant tables ir/ops.def "s/^OP\(SQRT,/$CBRT\n&/" "ir/ulp.def" "td_cbrt is not in backend_cuda/prelude/math.cuh" \
    "td_cbrt has no counterpart in backend_cuda/emu (functions.def)"
plant tables ir/ops.def 's/^(OP\(EXP,.*)LIBM\(exp\)/\1GLUE/' "EXP has no REFERENCE in tests/ulp/reference.h"
plant tables ir/ulp.def 's/^ULP\(EXP, 4,/ULP(EXP, 5,/' "docs/language.md: 9.9 does not give exp"
plant tables ir/types.def 's/td_f8e4m3,/td_f8e4m9,/' "memory type td_f8e4m9"
plant tables ir/types.def 's/^TYPE\(F64, f64,/TYPE(F128, f128,/' "TYPE(f128) is not known to docs/language.md"
plant tables ir/monoids.def 's/"add", /"plus", /' "td_atomic_plus is not in backend_cuda/prelude"
plant tables sched/kernel/stages.def 's/^STAGE\(LOAD,.*/&\nSTAGE(FETCH, fetch)/' "STAGE(FETCH) is not known to sched/kernel/kernel_verify" \
    "STAGE(fetch) is not known to tests/kernels" "STAGE(fetch) is not known to sched/kernel/README.md"
plant tables sched/kernel/binds.def 's/^BIND\(REG,.*/&\nBIND(GROUP, group, THREAD)/' "GROUP is not known to"
plant tables sched/kernel/steps.def 's/^STEP\(CHOICE,.*/&\nSTEP(PAUSE, pause)/' "STEP(pause) is not known to tests/kernels"
plant tables sched/search/schedule_steps.def 's/^SCHEDULE_STEP\(OTHER,.*/&\nSCHEDULE_STEP(SPAN, span, , LOADED, 0, 0, PLAIN, span)/' \
    "SCHEDULE_STEP(span) is not known to tests/kernels" "SCHEDULE_STEP(span) is not known to sched/search/README.md"
plant tables sched/machine/targets.def 's/^TARGET\(sm_89,/TARGET(sm_87,/' "sm_87 is no row of backend_cuda/emu/devices.def"
plant tables ir/diags.def 's/^DIAG\(4, /DIAG(3, /' "numbers given twice"
plant tables frontend/driver/options.def 's/"--emit"/"--emits"/' "OPTION(--emits)"
plant tables backend_cuda/glue/statuses.def 's/^STATUS\(error_shape,/STATUS(error_form,/' "STATUS(error_form)"
touch "$copy/ir/new.def"
expected+=(tables$'\t'"ir/new.def: tests/checks/tables.sh does not say")

plant numbers sched/search/cost.c 's/LOOP_STEP\)/100e-9)/' "sched/search/cost.c: numbers without a name"
plant numbers sched/search/templates.c 's/lanes <= WARP; lanes/lanes <= 32; lanes/' "sched/search/templates.c: numbers without a name"
plant numbers sched/search/predict.c 's/m->bandwidth/4.26e12/' "sched/search/predict.c: numbers without a name"
plant numbers sched/search/cost.def 's/^(COST\(SPILLS.*, )"not measured[^"]*"/\1""/' "a row without a name, a value, a unit and a source"
plant numbers sched/search/cost.def 's/^(COST\(SPILLS, 4, )"[^"]*"/\1""/' "COST(SPILLS"
plant numbers sched/kernel/kernel.h 's/TARGET_MOST_SHARED/227 * 1024/' "sched/kernel/kernel.h"
plant numbers sched/plan/split.c 's/2 \* \(int64_t\)m->sms/264/' "sched/plan/split.c"
notices tables
notices numbers
finish
