#!/bin/sh
# Installs what building and testing need (requirements.apt) where a command or NumPy is missing; Debian and Ubuntu, as root or
# with sudo. Says in one line what to install where it may not.
missing=
for tool in gcc g++ re2c lemon python3; do command -v $tool >/dev/null 2>&1 || missing="$missing $tool"; done
python3 -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null || missing="$missing numpy"
[ -z "$missing" ] && exit 0
packages=$(tr '\n' ' ' < "$(dirname "$0")/../requirements.apt")
as_root=
if [ "$(id -u)" != 0 ]; then
    if sudo -n true 2>/dev/null; then as_root="sudo -n"; else as_root=none; fi
fi
if [ "$as_root" = none ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "missing:$missing; install these packages, then run this again: $packages" >&2
    exit 1
fi
echo "installing:$missing"
log=$(mktemp) || exit 1
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # both are lists of words
if { $as_root apt-get update && $as_root apt-get install -y --no-install-recommends $packages; } >"$log" 2>&1; then
    rm -f "$log"
else
    tail -5 "$log" >&2
    rm -f "$log"
    echo "could not install; install these packages, then run this again: $packages" >&2
    exit 1
fi
