#!/bin/bash
# The structure checks of tests/checks notice what they are there for: each runs on a scratch copy of the files that it reads, as
# they are and with one fault planted, which it must name. Those that read symbols get the objects of two small files.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
here=$PWD

# A scratch copy of these folders and files in $dir/tree, beside the checks themselves.
tree() { # PATHS...
    rm -rf "$dir/tree" && mkdir -p "$dir/tree" && cp -r --parents tests/checks tests/suite.sh "$@" "$dir/tree"
}
check() { # NAME: in the scratch copy
    (cd "$dir" && CHECKED=$dir/tree B=$dir/objects TDC=${TDC:-$here/build/tdc} bash "$here/tests/checks/$1.sh") >"$dir/log" 2>&1
}
# As it is, the copy passes.
clean() { # CHECK
    check "$1"
    verdict $? "$1 fails where nothing is wrong: $(tail -n 5 "$dir/log")"
}
# With the fault planted the check fails and says so.
caught() { # CHECK FAULT WORDS...: what the check must name
    local what="$1: $2" name=$1 word all=0
    shift 2
    check "$name"
    [ $? != 0 ] || all=1
    for word in "$@"; do grep -qF -e "$word" "$dir/log" || all=1; done
    verdict $all "$what is not noticed: $(tail -n 5 "$dir/log")"
}
# An object of the scratch copy: a C file, whose text is given, compiled into $dir/objects.
object() { # FILE TEXT
    mkdir -p "$dir/tree/${1%/*}" "$dir/objects/${1%/*}"
    echo "$2" >"$dir/tree/$1"
    gcc -w -c -o "$dir/objects/${1%.c}.o" "$dir/tree/$1"
}

code="ir sched backend_cuda frontend grammar tests/unit tests/random tests/fuzz"

# shellcheck disable=SC2086 # code is a list of words
tree $code
clean includes
echo '#include "backend_cuda/glue/glue.h"' >>"$dir/tree/ir/fold.c"
caught includes 'ir includes the backend' ir/fold.c backend_cuda/glue/glue.h
cp ir/fold.c "$dir/tree/ir"
echo '#include "sched/plan/group.h"' >>"$dir/tree/sched/kernel/memory.c"
caught includes 'the kernel form includes the plan' sched/kernel/memory.c sched/plan/group.h
cp sched/kernel/memory.c "$dir/tree/sched/kernel"

clean functions
{ echo 'int planted_length(int a) {' && for i in {1..80}; do echo "    a += $i;"; done && echo '    return a;' && echo '}'; } >"$dir/tree/ir/planted.c"
caught functions 'a function of 83 lines' ir/planted.c planted_length '83 lines'
printf 'static int planted_parameters(int a, int (*b)(int, int), const char *c, int d, int e, int f,\n%24sint g, int h) { return a; }\n' '' >"$dir/tree/ir/planted.c"
caught functions 'a function of 8 parameters' ir/planted.c planted_parameters '8 parameters'
printf 'namespace planted {\nstruct S {\n    int in_a_class(int a, int b, int c, int d, int e, int f, int g, int h) const { return a; }\n};\n}\n' >"$dir/tree/backend_cuda/emu/planted.h"
caught functions 'a method of 8 parameters' backend_cuda/emu/planted.h in_a_class
rm "$dir/tree/ir/planted.c" "$dir/tree/backend_cuda/emu/planted.h"
sed -i 's/^EXCEPTIONS$/ir\/fold.c no_such_function lines\nEXCEPTIONS/' "$dir/tree/tests/checks/functions.sh"
(cd "$dir" && CHECKED=$dir/tree bash "$dir/tree/tests/checks/functions.sh" >"$dir/log" 2>&1)
[ $? != 0 ] && grep -qF no_such_function "$dir/log"
verdict $? 'functions: an exception that nothing needs is not noticed'

# Files that decide, and one of them that looks at what was printed.
rm -rf "$dir/tree/backend_cuda/lower" && mkdir "$dir/tree/backend_cuda/lower"
lower=$dir/tree/backend_cuda/lower
echo 'int lower_a(const int *a, const int *b, int n) { return memcmp(a, b, sizeof *a * n); } /* strlen(a) */' >"$lower/lower_a.c"
echo 'int lower_print(const char *s) { return strlen(s); }' >"$lower/lower_print.c"
clean lowering
for text in 'strstr(s, "digit") != NULL' 'strcmp(s, "0") != 0' 's[0] == '"'('" 'memcmp(s, "max", 3)'; do
    echo "int lower_b(const char *s) { return $text; }" >"$lower/lower_b.c"
    caught lowering "$text" lower_b.c
done

tree backend_cuda/glue
clean parts
sed -i 's/^\/\/@ td_extent$/\/\/@ td_extend/' "$dir/tree/backend_cuda/glue/checks.in"
caught parts 'a part is misspelt' 'no part td_extent is in checks.in' 'nothing prints the part td_extend'
cp backend_cuda/glue/checks.in "$dir/tree/backend_cuda/glue"
sed -i 's/"status_text"/"status"/' "$dir/tree/backend_cuda/glue/glue.c"
caught parts 'a call names no part' 'no part status is in head.in'

# The pages, of everything that they name.
tree ./*.md grammar frontend ir sched backend_cuda stdlib samples bench python cmake editors docs
cp -r tests/. "$dir/tree/tests"
clean pages
sed -i 's,^One arena a compilation,See `ir/planted.c`. &,' "$dir/tree/ARCHITECTURE.md"
caught pages 'a page names a file that is not there' 'ARCHITECTURE.md: there is no ir/planted.c'
cp ARCHITECTURE.md "$dir/tree"
sed -i 's,^# Lowering.*,&\n\nSee [the plan](../planned/README.md)&,' "$dir/tree/backend_cuda/lower/README.md"
caught pages 'a link leads nowhere' 'backend_cuda/lower/README.md: a link to ../planned/README.md'
cp backend_cuda/lower/README.md "$dir/tree/backend_cuda/lower"
echo '/* (ARCHITECTURE.md, "Planted text") */' >>"$dir/tree/ir/fold.c"
caught pages 'a source names a section that is not there' 'ir/fold.c: no section ARCHITECTURE.md, "Planted text"'
cp ir/fold.c "$dir/tree/ir"
for i in {1..200}; do echo "$i"; done >>"$dir/tree/ARCHITECTURE.md"
caught pages 'a long page' 'more than 200'

# circles.py wants a hundred files that use symbols: the clean state is many that use one.
tree
rm -rf "$dir/objects"
object ir/ground.c 'int ground(void) { return 0; }'
for i in {1..100}; do echo "int use_$i(void) { extern int ground(void); return ground(); }" >"$dir/tree/ir/use_$i.c"; done
(cd "$dir/tree/ir" && gcc -w -c use_*.c && mv use_*.o "$dir/objects/ir")
clean circles
object ir/up.c 'int down(void); int up(void) { return down(); }'
object sched/kernel/down.c 'int up(void); int down(void) { return up(); }'
caught circles 'two folders call each other' 'crosses folders' ir/up sched/kernel/down
rm -rf "$dir/objects/sched" "$dir/objects/ir/up.o"
for i in 1 2 3 4 5; do object "ir/ring_$i.c" "int ring_$((i % 5 + 1))(void); int ring_$i(void) { return ring_$((i % 5 + 1))(); }"; done
caught circles 'five files call each other' 'a circle of 5 files' ir/ring_1 ir/ring_5
rm -f "$dir"/objects/ir/ring_5.o
clean circles

clean names
object ir/poly/known.c 'int place(void) { return 0; }'
caught names 'a name without a module' ir/poly/known.c place
object ir/poly/known.c 'int known_place(void) { return 0; }'
clean names
finish
