/* Row sums by shuffles and shared memory, with masked tails and several blocks; and the same without each of its
 * barriers. */
#include "test.h"

struct args {
    const __nv_bfloat16 *x;
    float *y;
    int64_t n;
};
template <int V, bool FIRST, bool LAST> __global__ void __launch_bounds__(128) row_sum(const __grid_constant__ args a) {
    td_word<__nv_bfloat16> w[td_words<__nv_bfloat16>(V)];
    const int64_t i = td_tid() * V;
#pragma unroll
    for (int row = 0; row < 2; row++) {
        td_ld_n<__nv_bfloat16, V, 1>(w, a.x + (td_block() * 2 + row) * 1024 + i, 0, a.n - i);
        float s = 0;
        for (int k = 0; k < V; k++)
            if (i + k < a.n) s += td_get<__nv_bfloat16>(w, k);
        for (int m = 16; m; m >>= 1) s += td_shfl_xor(s, m);
        const td_sp<float> p = td_shared<float>(0);
        if (td_tid() % 32 == 0) td_sts<float, 1>(p + td_tid() / 32, &s);
        if (FIRST) td_sync();
        float q[4];
        td_lds<float, 4>(q, p);
        s = q[0] + q[1] + q[2] + q[3];
        if (LAST) td_sync();
        if (td_tid() == 0) td_st<float, 1>(a.y + td_block() * 2 + row, &s);
    }
}
int main() {
    const int n = 1021;
    Buf<__nv_bfloat16> x(iota<__nv_bfloat16>(8 * 1024, 8));
    Buf<float> y(8);
    const args a = {x.p, y.p, n};
    float want = 0;
    for (int i = 0; i < n; i++) want += float(i % 8);
    right("row_sum", [&] {
        const cudaError_t e = RUN((row_sum<8, true, true>), a, 4, 128, 1, 16, 0)();
        for (float v : y.get()) CHECK(v == want);
        return e;
    });
    right("no blocks", RUN((row_sum<8, true, true>), a, 0, 128, 1, 16, 0));
    wrong("without the first barrier", "race", RUN((row_sum<8, false, true>), a, 4, 128, 1, 16, 0), "uninitialised");
    wrong("without the last barrier", "race", RUN((row_sum<8, true, false>), a, 4, 128, 1, 16, 0));
    return finish();
}
