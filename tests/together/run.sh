#!/bin/bash
# Models in one program: the same entries under two prefixes and a third of another name, called by turns from C and from
# C++ on the CPU stand-in; and the headers of two models in one translation unit, before and after CUDA's headers of
# small floats (those of the stand-in, and CUDA's own where there are any).
cd "$(dirname "$0")/../.." || exit 1
TDC=$(realpath "${TDC:-build/tdc}")
emu=$PWD/backend_cuda/emu
. tests/suite.sh
cp tests/together/*.td tests/together/*.c "$dir"
cd "$dir" || exit 1
"$TDC" one.td -o one.cu && "$TDC" one.td -o again.cu --prefix=second && "$TDC" other.td -o other.cu &&
    "$TDC" types.td -o types.cu && "$TDC" types.td --emit=h -o types_too.cu
verdict $? 'tdc'
objects=
for m in one again other types; do
    g++ -std=c++17 -O1 -ffp-contract=off -w -I "$emu" -x c++ -c -o $m.cu.o $m.cu &&
        gcc -std=c99 -O1 -Wall -Wextra -Werror -I "$emu" -c -o $m.c.o $m.c
    verdict $? "$m"
    objects="$objects $m.cu.o $m.c.o"
done
# in one of these the small floats are CUDA's own types, in the other structs: to the linker it is one function
unit() { g++ -std=c++17 -Wall -Wextra -Werror -isystem "$emu" -DNAME="$1" "-DPLACE=$2" -x c++ -c -o "$1.o" small_floats.c; }
unit with_cuda 1 && unit without_cuda 2 && nm -C with_cuda.o | grep -q ' U types_twice$' && nm without_cuda.o | grep -q ' U types_twice$'
verdict $? 'two types for a small float'
stand_in_object runtime.o
for compiler in 'gcc -std=c99' 'g++ -std=c++17 -x c++'; do
    # shellcheck disable=SC2086 # lists of words
    $compiler -Wall -Wextra -Wpedantic -Werror -isystem "$emu" -c -o main.o main.c >log 2>&1 && g++ -o main main.o with_cuda.o without_cuda.o $objects runtime.o -lm >>log 2>&1
    verdict $? "$compiler: $(head -n 10 log)"
    said=$(./main 2>&1)
    verdict $? "$compiler: $said"
    rm -f main
done
# nothing but the prefix's names can collide
# shellcheck disable=SC2086
double=$(for o in $objects; do nm -g --defined-only $o | awk '$2 != "W" && $2 != "V" && $2 != "u" { print $3 }'; done | sort | uniq -d)
[ -z "$double" ]
verdict $? "two objects define $double"
# shellcheck disable=SC2086
foreign=$(for o in $objects; do nm -g --defined-only $o | awk '$2 == "T" || $2 == "D" || $2 == "B" || $2 == "R" { print $3 }'; done | grep -vE '^(one|second|other|types)_')
[ -z "$foreign" ]
verdict $? "symbols without the prefix: $foreign"
# and so it is for compilers that give a name to each thing that is not said to be one for all files
for kernels in g++ clang++; do
    command -v $kernels >/dev/null || continue
    "$TDC" types.td -o twice.cu --prefix=twice && $kernels -std=c++17 -w -I "$emu" -x c++ -c -o twice.cu.o twice.cu &&
        $kernels -std=c++17 -w -I "$emu" -x c++ -c -o first.cu.o types.cu && ld -r -o both.o twice.cu.o first.cu.o >log 2>&1
    verdict $? "$kernels, two models of all types: $(head -n 5 log)"
done
nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; })
real=${nvcc:+$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include}
for include in "$emu" $real; do
    for compiler in 'gcc -std=c99' 'g++ -std=c++17 -x c++'; do
        for place in 0 1 2 3; do
            [ $place$include != "0$real" ] || continue
            # shellcheck disable=SC2086 # a list of words
            $compiler -Wall -Wextra -Wpedantic -Werror -isystem "$include" -DNAME=f -DPLACE=$place -fsyntax-only small_floats.c >log 2>&1
            verdict $? "$compiler with the headers of $include in place $place: $(head -n 10 log)"
        done
        # shellcheck disable=SC2086
        ! $compiler -Werror -isystem "$include" -DNAME=f -DPLACE=1 -DSWAPPED -fsyntax-only small_floats.c >log 2>&1 && grep -q 'types_twice' log
        verdict $? "$compiler: a pointer to float where one to bf16 belongs: $(head -n 10 log)"
    done
done
finish
