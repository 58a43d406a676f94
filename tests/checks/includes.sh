#!/bin/bash
# Who may include whom: ir <- sched <- backend_cuda and ir <- frontend. Only frontend/driver*, main and check* see all;
# nothing else includes frontend or backend_cuda from outside, and every include names its folder or stands beside its file.
cd "$(dirname "$0")/../.." || exit 1
may() { # FILE: the folders that it may include from
    case $1 in
        frontend/driver* | frontend/main.c | frontend/check* | tests/*) echo "ir sched backend_cuda backend_cuda/emu frontend grammar tests/fuzz tests/unit" ;;
        frontend/* | grammar/*) echo "ir frontend grammar" ;;
        backend_cuda/emu/* | backend_cuda/run/*) echo "${1%/*}" ;;
        backend_cuda/*) echo "ir sched backend_cuda" ;;
        sched/*) echo "ir sched" ;;
        ir/*) echo "ir" ;;
    esac
}
failed=0 passed=0
files=$(find ir sched backend_cuda frontend grammar tests/unit -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.re' -o -name '*.y' \) 2>/dev/null | sort)
for file in $files; do
    bad=
    while read -r name; do
        case $name in
            "") continue ;;
            */*) folder=${name%/*} ;;
            *) folder=${file%/*} ;;
        esac
        [ -e "${file%/*}/$name" ] && folder=$(realpath -m --relative-to=. "${file%/*}/$name") && folder=${folder%/*}
        case " $(may "$file") " in *" $folder "*) ;; *) bad="$bad $name" ;; esac
    done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]+)".*/\1/p' "$file")
    if [ -n "$bad" ]; then
        echo "$file may not include$bad"
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
