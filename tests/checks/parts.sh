#!/bin/bash
# The parts of backend_cuda/glue/*.in: each that the glue's files or rows name is there, once, and each that is there is
# named. Those of backend_cuda/prelude: no name is two parts'.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
cd backend_cuda/glue || exit 1
failed=0 passed=0
named=$(
    # calls name a file and a part, which may be one of two
    cat ./*.c | tr '\n' ' ' | grep -oE 'GLUE_IN_[A-Z]+, [^;{]*("[a-z_]+")' | sed -E 's/GLUE_IN_([A-Z]+), /\L\1 /' |
        while read -r file rest; do
            grep -oE '^"[a-z_]+"|\? "[a-z_]+" : "[a-z_]+"' <<<"$rest" | grep -oE '"[a-z_]+"' | sed "s/\"//g; s/^/$file /"
        done
    sed -nE 's/.*library_part\(out, "([a-z_]+)".*/library \1/p' ./*.c
    sed -nE 's/^HOST_FN\([A-Z]+, ([a-z_]+)\).*/host \1/p' host_fns.def
    sed -nE 's/^CHECK\([A-Z]+, ([a-z_]+)\).*/checks \1/p' checks.def
)
there=$(grep -E '^//@ ' ./*.in | sed -E 's,^\./([a-z]+)\.in:///@ ,\1 ,; s,^\./([a-z]+)\.in://@ ,\1 ,')
while read -r part; do
    case $(grep -cxF "$part" <<<"$there") in
        0) failed=$((failed + 1)) && echo "no part ${part#* } is in ${part% *}.in" ;;
        1) passed=$((passed + 1)) ;;
        *) failed=$((failed + 1)) && echo "a part ${part#* } stands twice in ${part% *}.in" ;;
    esac
done < <(sort -u <<<"$named")
while read -r part; do
    grep -qxF "$part" <<<"$named" || { failed=$((failed + 1)) && echo "nothing prints the part ${part#* } of ${part% *}.in"; }
done < <(sort -u <<<"$there")
# a name of the device's prelude is one part's: what uses it would get either
twice=$(sed -nE 's,^//@ (portable )?,,p' ../prelude/*.cuh | tr ' ' '\n' | sort | uniq -d)
[ -z "$twice" ] || { failed=$((failed + 1)) && echo "several parts of the prelude have the names" $twice; }
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 20 ]
