#!/bin/bash
# Random legal schedules of the programs of this folder, all on the stand-in: TDC_SCHEDULES (64) of each, drawn by TDC_SEED.
# The emitted files are many and run once each, so that they are compiled without optimisation.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/cxx" <<END
#!/bin/sh
case " \$* " in *" -x "*) exec ${CXX:-g++} "\$@" -O0 -g0 ;; esac
exec ${CXX:-g++} "\$@"
END
chmod +x "$tmp/cxx"
CXX=$tmp/cxx TDC_HOME=$PWD "$B/unit/test_sched" "${TDC_SCHEDULES:-64}" tests/schedules/*.td tests/schedules/*.graph
