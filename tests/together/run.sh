#!/bin/bash
# Two models in one program: the same entries under two prefixes and a third of another name, called by turns from C and from
# C++ on the CPU stand-in.
cd "$(dirname "$0")/../.." || exit 1
TDC=$(realpath "${TDC:-build/tdc}")
emu=$PWD/backend_cuda/emu
. tests/suite.sh
cp tests/together/*.td tests/together/main.c "$dir"
cd "$dir" || exit 1
"$TDC" one.td -o one.cu && "$TDC" one.td -o again.cu --prefix=second && "$TDC" other.td -o other.cu
verdict $? 'tdc'
objects=
for m in one again other; do
    g++ -std=c++17 -O1 -ffp-contract=off -w -I "$emu" -x c++ -c -o $m.cu.o $m.cu &&
        gcc -std=c99 -O1 -Wall -Wextra -Werror -I "$emu" -c -o $m.c.o $m.c
    verdict $? "$m"
    objects="$objects $m.cu.o $m.c.o"
done
g++ -std=c++17 -O1 -I "$emu" -c -o runtime.o "$emu/runtime.cpp"
for compiler in 'gcc -std=c99' 'g++ -std=c++17 -x c++'; do
    # shellcheck disable=SC2086 # lists of words
    $compiler -Wall -Wextra -Wpedantic -Werror -isystem "$emu" -c -o main.o main.c >log 2>&1 && g++ -o main main.o $objects runtime.o -lm >>log 2>&1
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
foreign=$(for o in $objects; do nm -g --defined-only $o | awk '$2 == "T" || $2 == "D" || $2 == "B" || $2 == "R" { print $3 }'; done | grep -vE '^(one|second|other)_')
[ -z "$foreign" ]
verdict $? "symbols without the prefix: $foreign"
finish
