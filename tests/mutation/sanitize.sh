#!/bin/bash
# The checks of tests/kernels, tests/numeric and samples with the emitted files, the glue, the runner and the stand-in compiled
# under the address and undefined-behaviour sanitizers. From the project's folder, after make:
#   tests/mutation/sanitize.sh [NAME...]      those whose path contains a NAME; all without one
# Prints what fails and `N passed, M failed`. Any report of a sanitizer ends the program, and so the check fails.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} TDC=${TDC:-${B:-build}/tdc} home=$PWD/$B/sanitized
mkdir -p "$home/build" && ln -sfn "$PWD/backend_cuda" "$home/backend_cuda" || exit 1
for tool in CC CXX; do
    [ $tool = CC ] && program=${CC:-gcc} || program=${CXX:-g++}
    printf '#!/bin/sh\nexec %s "$@" -fsanitize=address,undefined -fno-sanitize-recover=undefined\n' "$program" >"$home/$tool"
    chmod +x "$home/$tool"
done
export CC=$home/CC CXX=$home/CXX TDC_HOME=$home ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 TDC
check() { # FILE: a line `ok` or `FAILED`, then what it printed
    local kernels=()
    [ -e "${1%.td}.kernel" ] && kernels=(--kernels "${1%.td}.kernel")
    if out=$("$TDC" check "$1" --emu "${kernels[@]}" 2>&1); then echo "ok      $1"; else printf 'FAILED  %s\n%s\n' "$1" "$out"; fi
}
export -f check
for f in tests/kernels/*.td tests/numeric/*.td samples/*.td; do
    [ -e "$f" ] || continue
    [ $# -gt 0 ] || echo "$f"
    for name; do [[ $f == *"$name"* ]] && echo "$f"; done
done | xargs -r -n 1 -P "${JOBS:-$(nproc)}" bash -c 'check "$1"' _ | awk '/^ok /{p++; next} /^FAILED /{if (/td$/) f++} {print} END {printf "%d passed, %d failed\n", p, f; exit f > 0 || p == 0}'
