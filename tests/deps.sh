#!/bin/sh
# deps.sh GOAL [PACKAGE...]: what `make GOAL` needs of Debian's packages, by default all of requirements.apt. Where some are missing
# it installs them, as root or with sudo, after saying which; with DEPS=no, or where it may not, it says in one line what to install.
goal=${1:+ $1}
shift
[ $# -gt 0 ] || set -- $(cat "$(dirname "$0")/../requirements.apt")

present() { # PACKAGE: what it is needed for works here, wherever that comes from
    case $1 in
        gcc) command -v ${CC:-gcc} ;;
        libc6-dev) echo '#include <stdio.h>' | ${CC:-gcc} -E - ;;
        re2c) command -v ${RE2C:-re2c} ;;
        lemon) command -v ${LEMON:-lemon} ;;
        python3-numpy) python3 -c 'import numpy' || /usr/bin/python3 -c 'import numpy' ;;
        ninja-build) command -v ninja ;;
        *) command -v "$1" ;;
    esac >/dev/null 2>&1
}
missing=
for p in "$@"; do present "$p" || missing="$missing $p"; done
[ -z "$missing" ] && exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    if sudo -n true 2>/dev/null; then as_root="sudo -n "; else DEPS=no; fi
fi
command -v apt-get >/dev/null 2>&1 || DEPS=no
if [ "${DEPS:-install}" = no ]; then
    echo "make$goal needs what is missing here; on Debian and Ubuntu: apt-get install$missing" >&2
    exit 1
fi
echo "make$goal installs Debian packages that are missing: ${as_root}apt-get install$missing (make$goal DEPS=no only says so)"
log=$(mktemp) || exit 1
export DEBIAN_FRONTEND=noninteractive
if { ${as_root}apt-get update && ${as_root}apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
    rm -f "$log"
else
    tail -5 "$log" >&2
    rm -f "$log"
    echo "they cannot be installed; install them, then run this again:$missing" >&2
    exit 1
fi
