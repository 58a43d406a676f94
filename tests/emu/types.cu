/* Element types: conversions of 16-bit floats against their definition, packing, rounding; mathematics. */
#include "test.h"

/* The nearest of a format's values by search: the definition, apart from the bit tricks. */
template <class H> static float nearest(float f) {
    static std::vector<float> values; // finite and not negative, in order
    if (values.empty())
        for (unsigned b = 0; b < 0x8000; b++) {
            H h;
            h.bits = uint16_t(b);
            if (float(h) - float(h) == 0) values.push_back(float(h));
        }
    const double a = f < 0 ? -double(f) : double(f);
    size_t lo = 0, hi = values.size();
    while (hi - lo > 1) {
        const size_t m = (lo + hi) / 2;
        if (double(values[m]) <= a)
            lo = m;
        else
            hi = m;
    }
    const double v = values[lo], top = values.back(), step = top - double(values[values.size() - 2]);
    const double w = lo + 1 < values.size() ? double(values[lo + 1]) : top + step;
    const bool up = a - v > w - a || (a - v == w - a && (lo & 1)); // ties to the even one
    const double r = !up ? v : lo + 1 < values.size() ? w : double(INFINITY);
    return std::signbit(f) ? -float(r) : float(r);
}
template <class H> static void conversions() {
    for (unsigned b = 0; b < 0x10000; b++) { // exact both ways
        H h;
        h.bits = uint16_t(b);
        const float f = float(h);
        if (f != f)
            CHECK(float(H(f)) != float(H(f)));
        else
            CHECK(H(f).bits == b);
    }
    uint32_t u = 12345;
    for (int i = 0; i < 300000; i++) {
        u = u * 1664525u + 1013904223u;
        uint32_t bits = u;
        if (i % 3 == 0) bits &= 0xfffff000u;                       // ties
        if (i % 5 == 0) bits = (bits & 0x80ffffffu) | 0x33000000u; // half's denormals
        float f;
        memcpy(&f, &bits, 4);
        if (f != f) continue;
        const float got = float(H(f)), want = nearest<H>(f);
        CHECK(got == want && std::signbit(got) == std::signbit(want));
    }
    CHECK(float(H(INFINITY)) == INFINITY && float(H(-INFINITY)) == -INFINITY);
}
template <class T> static void packing(td_arith<T> a, td_arith<T> b) {
    td_word<T> w[td_words<T>(5)] = {}, v[td_words<T>(5)] = {};
    const td_arith<T> src[5] = {a, b, a, a, b};
    td_pack<T, 5>(w, src);
    for (int i = 4; i >= 0; i--) td_put<T>(v, i, src[i]);
    for (int i = 0; i < 5; i++) CHECK(td_get<T>(w, i) == td_round<T>(src[i]) && td_get<T>(v, i) == td_get<T>(w, i));
}
int main() {
    conversions<__half>();
    conversions<__nv_bfloat16>();
    CHECK(__half(65520.f).bits == 0x7c00 && __half(65519.f).bits == 0x7bff && __nv_bfloat16(3.4e38f).bits == 0x7f80);
    packing<double>(0.1, -2);
    packing<float>(0.1f, -2);
    packing<__half>(0.1f, -2);
    packing<__nv_bfloat16>(0.1f, -2);
    packing<int64_t>(int64_t(1) << 40, -2);
    packing<int32_t>(1 << 30, -2);
    packing<int16_t>(1 << 14, -2);
    packing<int8_t>(100, -2);
    packing<uint32_t>(1u << 31, 2);
    packing<uint16_t>(65535, 2);
    packing<uint8_t>(255, 2);
    packing<bool>(true, false);
    CHECK(td_words<__half>(3) == 2 && td_words<int8_t>(5) == 2 && td_words<double>(3) == 3);
    CHECK(td_max(NAN, 1.f) != td_max(NAN, 1.f) && td_min(1.0, double(NAN)) != td_min(1.0, double(NAN)));
    CHECK(td_max(-3, 2) == 2 && td_min(-3, 2) == -3 && !std::signbit(td_max(-0.f, 0.f)) &&
          std::signbit(td_min(0.f, -0.f)));
    CHECK(td_exp(1.f) == 2.71828182845904523536f && td_round_even(2.5f) == 2 && td_round_even(-3.5) == -4);
    CHECK(td_rsqrt(4.f) == 0.5f && td_sigmoid(-1000.0) == 0 && td_sigmoid(0.f) == 0.5f && td_lgamma(4.0) > 1.79 &&
          td_lgamma(4.0) < 1.8);
    CHECK(td_abs(-5) == 5 && td_abs(INT32_MIN) == INT32_MIN && td_sign(-2.5f) == -1 && td_sign(0) == 0);
    return finish();
}
