# What suites share: `. tests/suite.sh`, from the project's folder. $dir is an empty folder of the suite's own; verdict, same and
# counted count; finish is a suite's last command.
# What tdc and Python build goes to a cache of the tests' own.
project=$PWD
TDC_CACHE=$(realpath -m "${B:-build}")/cache
export TDC_CACHE
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
verdict() { # STATUS WHAT
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $2"; fi
}
# Of many that are alike `make check` takes each N-th, with TDC_EVERY=1 all: whether it is this one's turn.
turns=0
turn() { # N
    [ "${TDC_EVERY:-}" = 1 ] || [ $((turns++ % $1)) = 0 ]
}
same() { # WHAT GOT EXPECTED
    [ "$2" = "$3" ]
    verdict $? "$1: got '$2', expected '$3'"
}
# A program that counts itself: its last line says how many.
counted() { # STATUS LOG
    local status=$1
    sed '$d' "$2"
    [[ $(tail -n 1 "$2") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] &&
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) || status=1
    [ "$status" = 0 ] || failed=$((failed + 1))
}
# What takes the place of C compilers: a script of this name in the cache, which has these lines.
compiler_script() { # NAME LINES
    mkdir -p "$TDC_CACHE"
    printf '#!/bin/sh\n%s\n' "$2" >"$TDC_CACHE/$1.$$" && chmod +x "$TDC_CACHE/$1.$$"
    mv "$TDC_CACHE/$1.$$" "$TDC_CACHE/$1" # suites run side by side
}
# CXX compiles the stand-in's own object once for all suites.
keep_stand_in() {
    export TDC_STAND_IN=${TDC_STAND_IN:-$TDC_CACHE}
    [[ ${CXX:-} == "$TDC_CACHE"/tests-* ]] && return
    compiler_script tests-cxx "exec bash '$project/tests/stand_in.sh' ${CXX:-g++} \"\$@\""
    export CXX=$TDC_CACHE/tests-cxx
}
# The stand-in's own object, as a file of this name.
stand_in_object() { # FILE
    (keep_stand_in && "$CXX" -std=c++17 -O2 -c -o "$1" "$project/backend_cuda/emu/runtime.cpp")
}
# What every kernel file includes first, which takes a clang longer than most kernels do: precompiled, as a file of the cache whose name
# depends on the compiler and on the stand-in's headers and their times. Prints nothing where the compiler makes none.
kernel_headers() { # COMPILER OPTION...
    local emu=$project/backend_cuda/emu at
    at=$TDC_CACHE/tests-headers-$({ echo "$@" && "$1" --version && cat "$emu"/*.{h,def} && stat -c %Y "$emu"/*.h; } | sha256sum | cut -c1-32).pch
    mkdir -p "$TDC_CACHE"
    [ -e "$at" ] || { "$@" -x c++-header -fpch-instantiate-templates -I "$emu" "$emu/cuda_runtime.h" -o "$at.$$" && mv "$at.$$" "$at"; } >"$dir/headers.log" 2>&1
    [ ! -e "$at" ] || echo "$at"
}
# For models that run a few times: CC and CXX without optimisation, of two compilers the quicker one where there is clang. The
# stand-in's own code, which all models share, keeps what it is compiled with. Their names stay the same, since tdc's cache knows
# objects by the compiler's name and version. Kernels that are compiled as tdc check does it begin from precompiled headers; where
# the compiler refuses these, without. Nothing is thrown in them, and nobody looks through their frames.
quick_compilers() {
    local at=$TDC_CACHE/tests-quick cc=${CC:-gcc} kernels=${CXX:-g++} headers='' plain='-O0 -g0 -fno-exceptions -fno-asynchronous-unwind-tables'
    [ "${CXX:-}" = "$at-cxx" ] && return
    [ -z "${CC:-}" ] && command -v clang >/dev/null && cc=clang
    # shellcheck disable=SC2086 # plain is a list of words
    [ -z "${CXX:-}" ] && command -v clang++ >/dev/null && kernels=clang++ && headers=$(kernel_headers clang++ -std=c++17 -ffp-contract=off -w $plain)
    keep_stand_in
    compiler_script tests-quick-cc "exec $cc \"\$@\" -O0 -g0"
    compiler_script tests-quick-cxx "headers='$headers'
case \" \$* \" in
*\" -x \"*\" -D\"*) ;;
*\" -x \"*\" -ffp-contract=off \"*\" -I $project/backend_cuda/emu \"*) [ -n \"\$headers\" ] && $kernels -include-pch \"\$headers\" \"\$@\" $plain 2>/dev/null && exit ;;
esac
case \" \$* \" in *\" -x \"*) exec $kernels \"\$@\" $plain ;; esac
exec $CXX \"\$@\""
    export CC=$at-cc CXX=$at-cxx
}
finish() {
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
}
