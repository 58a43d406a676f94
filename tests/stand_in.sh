#!/bin/bash
# A C++ compiler for suites: tests/stand_in.sh COMPILER ARGUMENT... is that compiler, but that the stand-in's own object, which takes
# seconds, is compiled once for all suites that want it by the same options.
options=() source='' to='' kept=${TDC_STAND_IN:-${TDC_CACHE:-build/cache}}
for ((i = 2; i <= $#; i++)); do
    case ${!i} in
        -o) i=$((i + 1)) to=${!i} ;;
        -I) i=$((i + 1)) ;; # it includes what lies beside it
        -I*) ;;
        -M*) exec "$@" ;;   # dependencies are files that are not kept
        */runtime.cpp) source=${!i} ;;
        *) options+=("${!i}") ;;
    esac
done
[ -n "$source" ] && [ -n "$to" ] && [[ " ${options[*]} " == *" -c "* ]] || exec "$@"
object=$kept/tests-$({ "$1" --version && echo "${options[@]}" && cat "${source%/*}"/*.{cpp,h,def}; } | sha256sum | cut -c1-32).o
mkdir -p "$kept"
[ -e "$object" ] || { "$1" "${options[@]}" "$source" -o "$object.$$" && mv "$object.$$" "$object"; } || exit 1 # suites run side by side
cp "$object" "$to"
