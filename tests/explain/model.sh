# What tests/explain and tests/memory share, after suite.sh: `model FILE OPTION...` makes $dir/model, which is main.c with the
# model of that file on the stand-in.
stand_in_object "$dir/runtime.o" || exit 1
model() { # FILE OPTION...
    "$TDC" "$@" --prefix=model -o "$dir/model.cu" &&
        "$CXX" -std=c++17 -w -I $emu -x c++ -c -o "$dir/kernels.o" "$dir/model.cu" &&
        gcc -std=c99 -isystem $emu -I "$dir" -c -o "$dir/host.o" "$dir/model.c" &&
        gcc -std=c11 -Wall -Wextra -Werror -isystem $emu -I "$dir" -c -o "$dir/main.o" tests/explain/main.c &&
        g++ -pthread -o "$dir/model" "$dir/main.o" "$dir/host.o" "$dir/kernels.o" "$dir/runtime.o"
    same "building $*" $? 0
}
