/* The block reduction without its barrier. expect race uninitialised */
#include "test.h"

struct args {
    float *y;
};
__global__ void __launch_bounds__(64) block_sum(const __grid_constant__ args a) {
    float s = float(td_tid());
    for (int m = 16; m; m >>= 1) s += td_shfl_xor(s, m);
    const td_sp<float> p = td_shared<float>(0);
    if (td_tid() % 32 == 0) td_sts<float, 1>(p + td_tid() / 32, &s);
    float q[2];
    td_lds<float, 2>(q, p);
    s = q[0] + q[1];
    if (td_tid() == 0) td_st<float, 1>(a.y, &s);
}
int main() {
    Buf<float> y(1);
    const args a = {y.p};
    CHECK(td_launch(block_sum, a, 1, 64, 1, 8, 0, 0) == cudaErrorUnknown);
    return finish();
}
