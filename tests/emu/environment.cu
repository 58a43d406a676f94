/* The environment's switches. Without an argument: the defaults; "off": TD_EMU_CHECK=0; "strict":
 * TD_EMU_STRICT_SHUFFLE=1. */
#include "test.h"

struct args {
    float *y;
};
__global__ void
by_shuffle(const __grid_constant__ args a) { // a shuffle between write and read: no memory order by CUDA's rules
    const td_sp<float> p = td_shared<float>(0);
    float v = float(td_tid());
    td_sts<float, 1>(p + td_tid(), &v);
    td_shfl_xor(v, 1);
    td_lds<float, 1>(&v, p + (td_tid() ^ 1));
    td_st<float, 1>(a.y + td_tid(), &v);
}
__global__ void racy(const __grid_constant__ args a) {
    const float v = 1;
    td_st<float, 1>(a.y, &v);
}
int main(int argc, char **argv) {
    Buf<float> y(64);
    const args a = {y.p};
    const bool off = argc > 1 && !strcmp(argv[1], "off"), strict = argc > 1 && !strcmp(argv[1], "strict");
    CHECK((RUN(racy, a, 1, 32, 1, 0, 0)() == cudaSuccess) == off);
    td_emu_reset();
    CHECK((RUN(by_shuffle, a, 1, 32, 1, 128, 0)() == cudaSuccess) == !strict);
    CHECK(y.get()[5] == 4);
    return finish();
}
