#!/bin/bash
# Expressions are walked and rewritten by ir/expr_walk.h: functions that come back to themselves with a node's operands, and
# the idioms that walks by hand come with, are found by tests/checks/walks.py. Those that stay are named here, each with its
# reason; a new one fails, and so does a name here that walks no more.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
kept() { # FILE FUNCTION  why
    cat <<'LIST'
frontend/sema/sema_lift.c same              goes through two expressions side by side
frontend/sema/sema_refuse.c divisor_names   whether a divisor is around goes with it, and the first one met is said first
frontend/sema/sema_shape.c folded           what is left of a node follows from what is left of its operands
frontend/sema/sema_suggest.c widened        each node has another type than before, and so has no rewriter
ir/expr_print.c print_form                  prints operands where the text has them
ir/expr_print.c print_reduce                prints operands where the text has them
ir/interp/exact.c narrowest                 the judge shares no code with what it judges
ir/interp/interp_compile.c compile_operator the judge shares no code with what it judges
ir/poly/known.c count_down                  counts as if nothing were shared, and no further than its limit
ir/poly/poly_of.c make_wide                 makes a polynomial of the polynomials of its operands
ir/poly/poly_prove.c know_inside            only so deep: what lies deeper is seldom needed, and each variable costs a proof
ir/rewrite.c match                          goes through a pattern and an expression side by side
ir/rewrite.c instantiate                    a pattern is small, and every node that it makes is simplified at once
ir/typing.c type_untyped                    gives up at the first literal that the type does not hold
sched/kernel/kernel_verify_outside.c verify_outside the first operand says what counts of the others
sched/kernel/same.c put_expr                writes bytes, in which a node that was met is its number
sched/kernel/under.c same                   goes through two expressions side by side
sched/library/normal.c function             makes a normal form of the normal forms of its operands
sched/library/product.c float_constants     a number made of its operands' numbers, as if nothing were shared
sched/plan/fuse.c matches                   goes through a pattern and an expression side by side
sched/plan/flat.c allows                    whether a subscript is around goes with it
sched/plan/interleave.c note_loads          leaves out what is under a condition: some operands of a node
sched/plan/group.c collect                  makes a set of variables of the sets of its operands
sched/plan/group.c group_free               makes a set of axes of the sets of its operands
sched/plan/group_describe.c is_short        of an expression written out: a node counts as often as it stands
sched/plan/group_describe.c mark_under      the axes that are folded around go with it: a node is visited again for more
sched/plan/sorted_write.c part_operand      goes through operands of one operator alone
sched/plan/partition_take.c bad_in          makes a set of variables of the sets of its operands
sched/plan/partition_take.c bad_outside     likewise, and whether a let with a kernel is around goes with it
sched/search/apply_expr.c tree_size         a number made of its operands' numbers, as if nothing were shared
sched/search/apply_expr.c apply_args        each operand has a condition of its own
sched/search/features_issue.c count_expr    makes a set of factors of the sets of its operands
backend_cuda/glue/glue_host.c call          prints operands where the text has them
backend_cuda/glue/glue_manifest.c form      prints operands where the text has them
LIST
}
found=$(python3 tests/checks/walks.py $(find ir sched backend_cuda frontend -name '*.[ch]' |
    grep -v -e '^ir/expr_walk\.' -e '^backend_cuda/emu/' -e '^backend_cuda/run/' | sort))
passed=0 failed=0
say() { echo "$1" && failed=$((failed + 1)); }
names=$(kept | awk '{ print $1, $2 }')
while read -r line; do
    [ -z "$line" ] && continue
    if grep -qxF "$line" <<<"$names"; then passed=$((passed + 1)); else say "by hand, see ir/expr_walk.h: $line"; fi
done <<<"$found"
while read -r line; do
    grep -qxF "$line" <<<"$found" || say "listed in tests/checks/walks.sh, but walks no more: $line"
done <<<"$names"
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
