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
/* The same for 8 bits, which saturate: every code, and every float whose low half is 0 or next to it, with ties. */
template <class F> static void conversions8(int mantissa, int bias, float most) {
    std::vector<double> values; // finite and not negative, in order
    for (int b = 0; b < 0x80; b++) {
        F f;
        f.bits = uint8_t(b);
        const int e = b >> mantissa, m = b & ((1 << mantissa) - 1);
        const double v = e ? ldexp(1 + ldexp(m, -mantissa), e - bias) : ldexp(m, 1 - bias - mantissa);
        const bool special = v > double(most);
        CHECK(special ? !(float(f) - float(f) == 0) : double(float(f)) == v);
        CHECK(!special || (mantissa == 2 && m == 0 ? std::isinf(float(f)) : std::isnan(float(f))));
        if (!special) values.push_back(v);
        f.bits = uint8_t(b | 0x80);
        CHECK(special || (double(float(f)) == -v && std::signbit(float(f))));
        for (int sign = 0; !special && sign < 2; sign++) CHECK(F(sign ? -float(v) : float(v)).bits == (b | sign << 7));
    }
    CHECK(values.back() == double(most) && F(NAN).bits == 0x7f && F(-NAN).bits == 0x7f);
    CHECK(float(F(INFINITY)) == most && float(F(-INFINITY)) == -most && float(F(-1e30f)) == -most);
    for (uint32_t high = 0; high < 0x7f80; high++)
        for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
            const uint32_t bits = high << 16 | low;
            float f;
            memcpy(&f, &bits, 4);
            size_t lo = 0, hi = values.size();
            while (hi - lo > 1) {
                const size_t m = (lo + hi) / 2;
                if (values[m] <= double(f))
                    lo = m;
                else
                    hi = m;
            }
            size_t best = lo;
            if (lo + 1 < values.size()) {
                const double down = double(f) - values[lo], up = values[lo + 1] - double(f);
                if (up < down || (up == down && (lo & 1))) best = lo + 1;
            }
            CHECK(F(f).bits == best && F(-f).bits == (best | 0x80));
        }
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
    conversions8<td_f8e4m3>(3, 7, 448);
    conversions8<td_f8e5m2>(2, 15, 57344);
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
    packing<td_f8e4m3>(0.1f, -2);
    packing<td_f8e5m2>(0.1f, -2);
    packing<td_i4>(9, -2);
    packing<td_u4>(25, 2);
    CHECK(td_round<td_i4>(9) == -7 && td_round<td_u4>(25) == 9 && td_words<td_i4>(9) == 2 && td_words<td_u4>(8) == 1);
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
