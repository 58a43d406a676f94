#!/bin/bash
# More than 2^31 elements: large.td with main.c on the stand-in, and programs of tests/numeric (LARGE="NAME...") whose kernels are made to
# take their 64-bit instance. With TARGET=--gpu, on the GPU of this machine, which needs 16 GB: large.td alone.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
tdc=${TDC:-build/tdc}
"$tdc" tests/large/large.td -o "$dir/large.cu" || exit 1
if [ "$TARGET" = --gpu ]; then
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    "$nvcc" -O2 -std=c++17 -gencode arch=compute_90a,code=sm_90a -I "$dir" -o "$dir/large" "$dir/large.cu" "$dir/large.c" \
        tests/large/main.c && "$dir/large" all
    exit
fi
quick_compilers
emu=backend_cuda/emu
stand_in_object "$dir/runtime.o" &&
    ${CXX:-g++} -std=c++17 -O1 -w -I $emu -x c++ -c "$dir/large.cu" -o "$dir/model.o" &&
    ${CC:-gcc} -std=c99 -O1 -w -I $emu -I "$dir" -c "$dir/large.c" -o "$dir/glue.o" &&
    ${CC:-gcc} -std=c99 -O1 -Wall -Wextra -I $emu -I "$dir" -c tests/large/main.c -o "$dir/main.o" &&
    ${CXX:-g++} -o "$dir/large" "$dir"/*.o && "$dir/large" >"$dir/out"
failed=$?
cat "$dir/out"
[ $failed = 0 ] || exit 1
passed=$(sed -n 's/ passed.*//p' "$dir/out")
cat >"$dir/cxx" <<EOF
#!/bin/bash
for a; do
    case \$a in *.cu) grep -q 'td_small = ' "\$a" && sed -i 's/td_small = .*;/td_small = false;/' "\$a" ;; esac
done
exec $CXX "\$@"
EOF
chmod +x "$dir/cxx"
for f in ${LARGE:-small filter resized turned}; do
    CXX=$dir/cxx "$tdc" check "tests/numeric/$f.td" --emu >"$dir/out" || { failed=1; grep -v '^ok' "$dir/out"; }
    passed=$((passed + $(sed -n 's/ passed.*//p' "$dir/out")))
done
# what is divided fits the index type, and is computed in it
"$tdc" tests/numeric/resized.td -o "$dir/resized.cu" &&
    grep -q 'td_div_by((I)td_max<I>' "$dir/resized.cu" && ! grep -q 'td_div_by((I)td_max<int64_t>' "$dir/resized.cu"
verdict $? 'quotients of products of lengths in 64 bits'
# registers lie a product of lengths apart, which has 32 bits wherever the first instance is taken
"$tdc" tests/numeric/turned.td -o "$dir/turned.cu" &&
    grep -q 'td_moved(.*, H \* D, ' "$dir/turned.cu" && grep -q 'td_small = .*(double)H \* (double)D' "$dir/turned.cu"
verdict $? 'registers that lie products of lengths apart'
echo "$passed passed, $failed failed"
