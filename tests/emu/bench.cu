/* How many thread-barriers, shuffles and checked accesses a second the stand-in reaches. Not a test: run.sh bench
 * prints it. */
#include "test.h"
#include <time.h>

struct args {
    float *x;
    int n;
};
__global__ void __launch_bounds__(256) syncs(const __grid_constant__ args a) {
    for (int i = 0; i < a.n; i++) td_sync();
}
__global__ void __launch_bounds__(256) shuffles(const __grid_constant__ args a) {
    float v = float(td_tid());
    for (int i = 0; i < a.n; i++) v += td_shfl_xor(v, 1);
    if (v == -1) td_st<float, 1>(a.x, &v);
}
__global__ void __launch_bounds__(256) copies(const __grid_constant__ args a) {
    float w[4];
    for (int i = 0; i < a.n; i++) {
        float *p = a.x + ((td_block() * 8 + (i & 7)) * 256 + td_tid()) * 4;
        td_ld<float, 4>(w, p);
        td_sts<float, 4>(td_shared<float>(0) + td_tid() * 4, w);
        td_lds<float, 4>(w, td_shared<float>(0) + td_tid() * 4);
        td_st<float, 4>(p, w);
    }
}
static double now() {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}
int main() {
    Buf<float> x(iota<float>(81920));
    for (int seed = 0; seed < 3; seed++) {
        td_emu_seed((unsigned long long)seed);
        const args a = {x.p, 4000};
        double t = now();
        RUN(syncs, a, 10, 256, 1, 0, 0)();
        printf("seed %d: %.1f M thread-barriers/s", seed, 10 * 256 * 4000 / (now() - t) * 1e-6);
        t = now();
        RUN(shuffles, a, 10, 256, 1, 0, 0)();
        printf(", %.1f M shuffles/s", 10 * 256 * 4000 / (now() - t) * 1e-6);
        t = now();
        RUN(copies, a, 10, 256, 1, 4096, 0)();
        printf(", %.1f M 16-byte accesses/s\n", 4 * 10 * 256 * 4000 / (now() - t) * 1e-6);
    }
    return td_emu_errors() != 0;
}
