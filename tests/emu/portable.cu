/* What prelude.cuh marks portable (portable.inc, which run.sh takes out of it) works with the stand-in's own functions.
 */
#include "test.h"
#include "portable.inc"

struct args {
    const float *x;
    float *y;
    int n;
};
__global__ void rows(const __grid_constant__ args a) {
    const auto full = td_shared<uint64_t>(0);
    const td_sp<float> s = td_shared<float>(16);
    if (td_tid() == 0) {
        td_mbar_init(full, 1);
        td_mbar_fence();
    }
    td_sync();
    for (int row = 0; row < 3; row++) {
        const float *p = a.x + row * a.n;
        const td_sp<float> to = s + td_floor_mod(row * a.n, 4);
        if (td_tid() < 32) td_fill_row<float>(to, p, a.n, full);
        td_mbar_wait(full, row & 1);
        for (int i = td_tid(); i < a.n; i += 64) {
            float w[1];
            td_lds<float, 1>(w, to + i);
            td_store_n<1, float, 1, 0>(a.y + row * a.n + i, w, 0, 1);
        }
        td_async_fence();
        td_sync();
    }
}
int main() {
    Buf<float> x(iota<float>(1024)), y(1024);
    for (int n : {64, 61, 3, 1})
        right("rows", [&] {
            const cudaError_t e = td_launch(rows, (args{x.p, y.p, n}), 1, 64, 1, 512, 0, nullptr);
            const std::vector<float> v = y.get();
            for (int i = 0; i < 3 * n; i++) CHECK(v[size_t(i)] == float(i));
            return e;
        });
    CHECK(td_digamma(1.0) < -0.5772 && td_digamma(1.0) > -0.5773);
    CHECK(td_floor_div(-7, 2) == -4 && td_floor_mod(int64_t(-7), int64_t(2)) == 1);
    return finish();
}
