#!/bin/bash
# TDC_RANDOM (100) random programs of seed TDC_SEED (1) on the stand-in, each under the schedule that tdc chooses and one
# (TDC_SCHEDULES - 1) that is random. The emitted files are many and run a few times each, so that they are compiled without optimisation, by the quicker compiler.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
real=${CXX:-g++}
[ -z "${CXX:-}" ] && command -v clang++ >/dev/null && real=clang++
cat >"$tmp/cxx" <<END
#!/bin/sh
case " \$* " in *" -x "*) exec $real "\$@" -O0 -g0 ;; esac
exec ${CXX:-g++} "\$@"
END
printf '#!/bin/sh\nexec %s "$@" -O0 -g0\n' "${CC:-gcc}" >"$tmp/cc"
chmod +x "$tmp/cxx" "$tmp/cc"
CC=$tmp/cc CXX=$tmp/cxx TDC_HOME=$PWD "$B/random" --seed "${TDC_SEED:-1}" --count "${TDC_RANDOM:-100}" --schedules "${TDC_SCHEDULES:-2}" "$@"
