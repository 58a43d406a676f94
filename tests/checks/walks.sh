#!/bin/bash
# Expressions are walked and rewritten by ir/expr_walk.h: functions that come back to themselves with a node's operands, and
# the idioms that walks by hand come with, are found by tests/checks/walks.py. Those that stay are named here, each with its
# reason; a new one fails, and so does a name here that walks no more. Where hands are not yet done, a folder has a number
# that may only become smaller.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
kept() { # FILE FUNCTION  why
    cat <<'LIST'
ir/expr_print.c print_form                  prints operands where the text has them
ir/expr_print.c print_reduce                prints operands where the text has them
ir/interp/interp_compile.c compile_operator the judge shares no code with what it judges
ir/poly/poly_of.c make_wide                 makes a polynomial of the polynomials of its operands
ir/poly/poly_prove.c know_inside            only so deep: what lies deeper is seldom needed, and each variable costs a proof
ir/rewrite.c match                          goes through a pattern and an expression side by side
ir/rewrite.c instantiate                    a pattern is small, and every node that it makes is simplified at once
ir/typing.c type_untyped                    gives up at the first literal that the type does not hold
sched/kernel/kernel_verify_outside.c verify_outside the first operand says what counts of the others
sched/kernel/same.c put_expr                writes bytes, in which a node that was met is its number
sched/library/normal.c function             makes a normal form of the normal forms of its operands
sched/search/apply_expr.c tree_size         a number made of its operands' numbers, as if nothing were shared
sched/search/apply_expr.c apply_args        each operand has a condition of its own
backend_cuda/glue/glue_host.c call          prints operands where the text has them
backend_cuda/glue/glue_manifest.c form      prints operands where the text has them
LIST
}
folders="sched/plan=66 frontend/sema=28 backend_cuda/lower=10"
found=$(python3 tests/checks/walks.py $(find ir sched backend_cuda frontend -name '*.[ch]' |
    grep -v -e '^ir/expr_walk\.' -e '^backend_cuda/emu/' -e '^backend_cuda/run/' | sort))
passed=0 failed=0
say() { echo "$1" && failed=$((failed + 1)); }
for f in $folders; do
    n=$(grep -c "^${f%=*}/" <<<"$found")
    if [ "$n" -le "${f#*=}" ]; then passed=$((passed + 1)); else say "${f%=*} walks expressions by hand in $n places, ${f#*=} before:" &&
        grep "^${f%=*}/" <<<"$found"; fi
done
rest=$(grep -v $(for f in $folders; do echo "-e ^${f%=*}/"; done) <<<"$found")
names=$(kept | awk '{ print $1, $2 }')
while read -r line; do
    [ -z "$line" ] && continue
    if grep -qxF "$line" <<<"$names"; then passed=$((passed + 1)); else say "by hand, see ir/expr_walk.h: $line"; fi
done <<<"$rest"
while read -r line; do
    grep -qxF "$line" <<<"$rest" || say "listed in tests/checks/walks.sh, but walks no more: $line"
done <<<"$names"
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
