#!/bin/bash
# Who may include whom, folder by folder: the floors of the house. A folder may include itself and what its row names; nobody may
# include what has no row for it. Every include names its folder from the project's root, or stands beside its file.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
may() { # FILE: the folders that it may include from
    local ground="ir ir/poly ir/interp"
    case $1 in
        ir/*) echo "$ground" ;;
        grammar/*) echo "ir grammar frontend/ast" ;;
        frontend/ast/*) echo "ir frontend/ast" ;;
        frontend/sema/*) echo "$ground frontend/ast frontend/sema" ;;
        sched/machine/*) echo "ir sched/machine" ;;
        sched/library/*) echo "$ground sched/machine sched/library" ;;
        sched/kernel/*) echo "$ground sched/machine sched/library sched/kernel" ;;
        sched/plan/*) echo "$ground sched/machine sched/library sched/kernel sched/plan" ;;
        sched/search/*) echo "$ground sched/machine sched/library sched/kernel sched/plan sched/search" ;;
        backend_cuda/emu/* | backend_cuda/run/*) echo "${1%/*}" ;;
        backend_cuda/lower/*) echo "$ground sched/machine sched/library sched/kernel backend_cuda backend_cuda/lower" ;;
        backend_cuda/glue/*) echo "$ground sched/machine sched/library sched/kernel backend_cuda backend_cuda/glue" ;;
        backend_cuda/*) echo "ir backend_cuda" ;;
        frontend/check/*) echo "$ground sched/machine frontend/check" ;;
        frontend/driver/* | tests/*)
            echo "$ground grammar frontend/ast frontend/sema frontend/check frontend/driver sched/machine sched/library sched/kernel" \
                "sched/plan sched/search backend_cuda/lower backend_cuda/glue backend_cuda/emu tests/fuzz tests/unit tests/random" ;;
    esac
}
failed=0 passed=0
while IFS=$'\t' read -r file names; do
    bad= allowed=" $(may "$file") " here=${file%/*}
    for name in $names; do
        folder=${name%/*}
        [ "$folder" = "$name" ] && folder=$here
        [[ $name == ../* ]] && folder=$name
        [[ $allowed == *" $folder "* ]] || bad="$bad $name"
    done
    if [ -n "$bad" ]; then
        echo "$file may not include$bad"
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
done < <(find ir sched backend_cuda frontend grammar tests/unit tests/random tests/fuzz -type f \
    \( -name '*.[ch]' -o -name '*.def' -o -name '*.re' -o -name '*.y' -o -name '*.cpp' \) | sort |
    xargs awk 'FNR == 1 { if (file) print file "\t" names; file = FILENAME; names = "" }
        match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]+"/) { n = $0; sub(/^[^"]*"/, "", n); sub(/".*/, "", n); names = names " " n }
        END { print file "\t" names }')
echo "$passed passed, $failed failed"
[ $failed = 0 ]
