#!/bin/bash
# --emit=driver: the example and its rules for make, built for the CPU stand-in, run, refused, and included by a makefile.
cd "$(dirname "$0")/../.." || exit 1
TDC=$(realpath "${TDC:-build/tdc}")
emu=$PWD/backend_cuda/emu
. tests/suite.sh
keep_stand_in
cp tests/driver/types.td "$dir"
cd "$dir" || exit 1
# says STATUS TEXT ARGUMENTS...: the example exits with STATUS and says TEXT, lines of it in this order
says() {
    local status=$1 text=$2 out got
    shift 2
    out=$(emu/types_main "$@" 2>&1)
    got=$?
    [ $got = "$status" ] && grep -qzE -- "$text" <<<"$out"
    verdict $? "types_main $*: status $got, expected $status with /$text/: $out"
}
"$TDC" types.td --emit=driver
[ "$(ls | tr '\n' ' ')" = 'types.mk types.td types_main.c ' ]
verdict $? "--emit=driver writes $(ls | tr '\n' ' ')"
"$TDC" types.td
for compiler in 'gcc -std=c99' 'g++ -std=c++17 -x c++'; do
    # shellcheck disable=SC2086 # a list of words
    $compiler -Wall -Wextra -Wpedantic -Wshadow -Werror -isystem "$emu" -fsyntax-only types_main.c >log 2>&1
    verdict $? "$compiler: $(head -n 5 log)"
done
make -f types.mk "EMU=$emu" >log 2>&1
verdict $? "$(tail -n 20 log)"
make -f types.mk "EMU=$emu" 2>&1 | grep -q 'is up to date'
verdict $? 'the second make does something'

all() { # NAME TYPE VALUE: a result all of whose elements are this
    echo "$1: $2\[3\]  least $3, mean $3, most $3.    $3 $3 $3"
}
says 0 "$(all ya f64 -2.5).$(all yb f32 0.1).$(all yc f16 0.0999756).$(all yd bf16 -384).$(all ye f8e4m3 448).$(all yf f8e5m2 -1.52588e-05)" floats
says 0 "$(all ya i64 -5e.09).$(all yb i32 -70000).$(all yc i16 -300).$(all yd i8 -128).$(all ye i4 -8).$(all yf u32 4e.09).$(all yg u16 65535).$(all yh u8 255).$(all yi u4 15)" whole N=3
says 0 'sum: f32\[5\]  least [2-7].*y: f32\[5\]  least 0.25, .*, most 1\..*z: f32\[\]  least ([6-9]|5.)' place
says 0 'y: f32\[2\]  least ([^ ]*), mean \1' place run=2 t=1 why=1e0 a=-1
says 0 'y: f32\[0\].*z: f32\[\]  least 0' place run=0
says 0 '^rate = 1.5' rate step=3 base=0.5
says 1 'place is refused: a condition that the program requires does not hold' place t=0
says 1 'place is refused: a dimension is out of its range' place run=-1
says 1 "expected NAME=NUMBER with one of: run t why a .not 'runs=3'" place runs=3
says 1 "not 'run=x'" place run=x
says 1 "not 'more'" place more
says 2 'place run=5 t=4 why=0.25 a=3.*rate step=1 base=1.0' nothing
says 2 'usage' --help

# make for the GPU and make EMU=... by turns, without cleaning between: a compiler that says what it was called for is nvcc here
cat >nvcc <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
echo gpu >"$2"
END
chmod +x nvcc
here=$(sha256sum emu/*)
make -f types.mk "NVCC=./nvcc" >log 2>&1 && [ "$(cat types_main types_host.o)" = "$(printf 'gpu\ngpu')" ] &&
    make -q -f types.mk "EMU=$emu" && make -q -f types.mk "NVCC=./nvcc" && [ "$here" = "$(sha256sum emu/*)" ]
verdict $? "for the GPU and the stand-in by turns: $(tail -n 5 log)"
# into a folder that is not there, for a makefile and by hand, with and without a slash
for out in obj deep/er/; do
    make -f types.mk "NVCC=./nvcc" "types_OUT=$out" >log 2>&1 && [ -e ${out%/}/types_main ]
    verdict $? "types_OUT=$out: $(tail -n 5 log)"
done
# names with spaces, and what make and shells take for more than a letter
for name in 'out put' ' a  b' "it's \$5 #1%=:" '~x*?[y]'; do
    mkdir "$dir/names" && cd "$dir/names" || exit 1
    echo 'export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }' >f.td
    printf 'all:\ninclude rules.mk\nall: $(f_BIN)own\n$(f_BIN)own: $(f_OBJECTS)\n\t$(f_LINK) -o $@ $^\n' >Makefile
    "$TDC" f.td -o "$name.cu" --prefix=f --emit=cu,c,h,driver && ln -s "$name.mk" rules.mk
    [ "$name" = 'out put' ] && sed -i 's/rules.mk/out\\ put.mk/' Makefile
    make -f "$name.mk" "NVCC=../nvcc" >log 2>&1 && [ "$(find . -name '*_main' | wc -l)" = 1 ] &&
        make -q -f "$name.mk" "NVCC=../nvcc" && touch "$name.cu" && ! make -q -f "$name.mk" "NVCC=../nvcc"
    verdict $? "the name '$name': $(tail -n 5 log)"
    [ "$name" != 'out put' ] || { make "NVCC=../nvcc" >log 2>&1 && [ "$(cat own)" = gpu ] && make -q "NVCC=../nvcc"; }
    verdict $? "the name '$name', included: $(tail -n 5 log)"
    cd "$dir" && rm -r names
done

# a makefile that includes the rules, with a program of its own in another folder
mkdir own
cat >own/Makefile <<'END'
own: own.o
types_OUT := ./
include ../types.mk
own: $(types_OBJECTS)
	$(types_LINK) -o $@ $^
own.o: own.c
	$(types_C) -I.. -c -o $@ $<
END
cat >own/own.c <<'END'
#include "types.h"
int main(void) { types_context *c; return types_open(&c, 0) || types_rate(2, 0.5f) != 1 ? 1 : (types_close(c), 0); }
END
make -C own "EMU=$emu" >log 2>&1 && own/own && [ ! -e emu/own ] && [ -e own/emu/types_host.o ]
verdict $? "a makefile that includes types.mk: $(tail -n 5 log)"
# with nvcc, where there is one
nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; })
if [ -n "$nvcc" ]; then
    echo 'export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }' >few.td
    "$TDC" few.td --emit=cu,c,h,driver && make -f few.mk "NVCC=$nvcc" >log 2>&1 && [ -x few_main ]
    verdict $? "with nvcc: $(tail -n 5 log)"
    said=$(CUDA_VISIBLE_DEVICES='' ./few_main 2>&1)
    [[ $? = 1 && $said =~ ^few_open:\ cuda[A-Za-z]*:\ [A-Za-z\ -]+$ ]]
    verdict $? "without a GPU few_main says '$said'"
else
    echo 'no nvcc here: what it does with the example is not tested'
fi
finish
