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
# The stand-in's own object, compiled once for all suites, as a file of this name.
stand_in_object() { # FILE
    local object
    object=$TDC_CACHE/tests-$(cat "$project"/backend_cuda/emu/*.{cpp,h,def} | sha256sum | cut -c1-32).o
    mkdir -p "$TDC_CACHE"
    [ -e "$object" ] || { ${CXX:-g++} -std=c++17 -O2 -w -I "$project/backend_cuda/emu" -c -o "$object.$$" "$project/backend_cuda/emu/runtime.cpp" &&
        mv "$object.$$" "$object"; }
    cp "$object" "$1"
}
# For models that run a few times: CC and CXX without optimisation, and for emitted kernels, which are large, the quicker of two
# compilers. The stand-in's own code, which all models share, keeps what it is compiled with. Their names stay the same, since tdc's
# cache knows objects by the compiler's name and version.
quick_compilers() {
    local at=$TDC_CACHE/tests-quick real=${CXX:-g++}
    [ "${CXX:-}" = "$at-cxx" ] && return
    [ -z "${CXX:-}" ] && command -v clang++ >/dev/null && real=clang++
    mkdir -p "$TDC_CACHE"
    printf '#!/bin/sh\nexec %s "$@" -O0 -g0\n' "${CC:-gcc}" >"$at-cc.$$"
    printf '#!/bin/sh\ncase " $* " in *" -x "*) exec %s "$@" -O0 -g0 ;; esac\nexec %s "$@"\n' "$real" "${CXX:-g++}" >"$at-cxx.$$"
    chmod +x "$at-cc.$$" "$at-cxx.$$"
    mv "$at-cc.$$" "$at-cc" # suites run side by side
    mv "$at-cxx.$$" "$at-cxx"
    export CC=$at-cc CXX=$at-cxx
}
finish() {
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
}
