/* What the prelude marks portable (portable.inc, which run.sh takes out of it) works with the stand-in's own functions.
 */
#include "test.h"
#include "portable.inc"
#include <cmath>

struct args {
    const float *x;
    float *y;
    int n;
};
__global__ void rows(const __grid_constant__ args a) { // a thread copies four elements, reversed; the last ones by halves
    float w[4], v[4];
    const int at = td_tid() * 4;
    td_load_n<1, float, 4, 1>(w, a.x + at, 0, a.n - at);
    for (int i = 0; i < 4; i++) td_move<float>(v, 3 - i, w, i);
    for (int i = 0; i < 4; i++) td_move<float>(w, 3 - i, v, i);
    td_store_n<0, float, 4, 0>(a.y + at, w, 0, a.n - at);
}
/* Rows of a 16-bit type that start anywhere, each brought by one warp; what pads the pieces is cleared. */
__global__ void filled(const __grid_constant__ args a) {
    const int t = td_tid(), shift = t / 32 & 1 ? 3 : a.n & 7;
    const td_sp<uint64_t> full = td_shared<uint64_t>(8 * (t / 32));
    const td_sp<int16_t> s = td_shared<int16_t>(64 + 512 * (t / 32));
    const int16_t *x = reinterpret_cast<const int16_t *>(a.x) + a.n;
    if (t % 32 == 0) {
        td_mbar_init(full, 1);
        td_mbar_fence();
    }
    td_sync();
    td_fill_row<int16_t, 1>(s + shift, x, 100, full);
    td_mbar_wait(full, 0);
    for (int i = t % 32; i < (shift + 100 + 7) / 8 * 8; i += 32) {
        uint32_t w[1];
        td_lds<int16_t, 1>(w, s + i);
        td_keep<int16_t, 1>(w);
        CHECK(td_get<int16_t>(w, 0) == (i < shift || i >= shift + 100 ? 0 : a.n + i - shift));
    }
}
/* 8-bit floats without instructions for them are the stand-in's, which types.cu holds to their definition. */
template <class F> static void float8(int digits, int bias, uint32_t most) {
    for (uint32_t b = 0; b < 256; b++) {
        F f;
        f.bits = uint8_t(b);
        const float v = td_f8_value(b, digits, bias, most), w = float(f);
        CHECK(v != v ? w != w : v == w && std::signbit(v) == std::signbit(w));
    }
    for (uint32_t high = 0; high < 0x10000; high++)
        for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
            const uint32_t bits = high << 16 | low;
            float f;
            memcpy(&f, &bits, 4);
            CHECK(td_f8_code(f, digits, bias, most) == F(f).bits);
        }
}
int main() {
    float8<td_f8e4m3>(3, 7, 0x7eu);
    float8<td_f8e5m2>(2, 15, 0x7bu);
    Buf<float> x(iota<float>(1024)), y(1024);
    for (int n : {256, 61, 3, 1})
        right("rows", [&] {
            y.zero();
            const cudaError_t e = RUN(rows, (args{x.p, y.p, n}), 1, 64, 1, 0, 0)();
            const std::vector<float> v = y.get();
            for (int i = 0; i < 1024; i++) CHECK(v[size_t(i)] == (i < n ? float(i) : 0));
            return e;
        });
    std::vector<int16_t> numbers(512);
    for (int i = 0; i < 512; i++) numbers[size_t(i)] = int16_t(i);
    Buf<int16_t> z(numbers);
    for (int n : {0, 1, 3, 8, 13})
        right("filled rows", RUN(filled, (args{reinterpret_cast<float *>(z.p), y.p, n}), 1, 64, 1, 2048, 0));
    CHECK(td_isnan(NAN) && !td_isinf(1.f) && td_isfinite(1.0) && td_to_int<int32_t>(1e20f, INT32_MIN, INT32_MAX) == INT32_MAX);
    CHECK(td_digamma(1.0) < -0.5772 && td_digamma(1.0) > -0.5773);
    CHECK(td_floor_div(-7, 2) == -4 && td_floor_mod(int64_t(-7), int64_t(2)) == 1);
    return finish();
}
