// Elements: their widths, registers that hold them, conversions between the bits in memory and the type of arithmetic.

//@ td_width
// Bits of an element.
template <class T> struct td_width_of { static constexpr int bits = 8 * (int)sizeof(T); };
template <class T> constexpr int td_width = td_width_of<T>::bits;

//@ td_word td_words
template <class T, bool small = (sizeof(T) < 4)> struct td_word_of { typedef T type; };
template <class T> struct td_word_of<T, true> { typedef uint32_t type; };
template <class T> using td_word = typename td_word_of<T>::type;
template <class T> __host__ __device__ constexpr int td_words(int n) { return sizeof(T) < 4 ? (n * td_width<T> + 31) / 32 : n; }

//@ td_arith td_arith_of
template <class T> struct td_arith_of { typedef T type; };
template <> struct td_arith_of<int8_t> { typedef int32_t type; };
template <> struct td_arith_of<int16_t> { typedef int32_t type; };
template <> struct td_arith_of<uint8_t> { typedef int32_t type; };
template <> struct td_arith_of<uint16_t> { typedef int32_t type; };
template <class T> using td_arith = typename td_arith_of<T>::type;

//@ td_f16 td_bf16
// 16-bit floats. CUDA's headers of such types are not included: they take nvcc longer than a small kernel does.
struct td_f16 { uint16_t bits; };
struct td_bf16 { uint16_t bits; };
template <> struct td_arith_of<td_f16> { typedef float type; };
template <> struct td_arith_of<td_bf16> { typedef float type; };
__device__ __forceinline__ float td_of_bits(uint32_t b, td_f16) {
    float v;
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"((unsigned short)b));
    return v;
}
__device__ __forceinline__ float td_of_bits(uint32_t b, td_bf16) { return __uint_as_float(b << 16); }
__device__ __forceinline__ uint32_t td_bits(float v, td_f16) {
    unsigned short r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(v));
    return r;
}
__device__ __forceinline__ uint32_t td_bits(float v, td_bf16) {
    unsigned short r;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(v));
    return r;
}
// Two of them, `a` in the low half.
__device__ __forceinline__ uint32_t td_pair(float a, float b, td_f16) {
    uint32_t r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a));
    return r;
}
__device__ __forceinline__ uint32_t td_pair(float a, float b, td_bf16) {
    uint32_t r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a));
    return r;
}

//@ td_f8_code td_f8_value
// An 8-bit float of `digits` bits after the point, exponents biased by `bias`, `most` its largest finite code: what compute
// capability 8.9 and later have instructions for.
__device__ __forceinline__ uint32_t td_f8_code(float v, int digits, int bias, uint32_t most) {
    const uint32_t power = (uint32_t)(126 + bias + digits) << 23; // as a float: units of the smallest number in 1
    float scale;
    uint32_t u, code;
    memcpy(&u, &v, 4);
    const uint32_t sign = u >> 24 & 0x80u;
    u &= 0x7fffffffu;
    if (u > 0x7f800000u) return 0x7fu;
    if (u < (uint32_t)(128 - bias) << 23) { // denormal
        memcpy(&scale, &power, 4);
        code = (uint32_t)rintf(fabsf(v) * scale);
    } else { // a carry goes on into the exponent
        u += (1u << (22 - digits)) - 1 + (u >> (23 - digits) & 1u);
        code = (u >> (23 - digits)) - ((uint32_t)(127 - bias) << digits);
    }
    return sign | (code > most ? most : code);
}
__device__ __forceinline__ float td_f8_value(uint32_t b, int digits, int bias, uint32_t most) {
    const uint32_t code = b & 0x7fu, e = code >> digits, m = code & ((1u << digits) - 1);
    const uint32_t u = e ? (e + 127 - (uint32_t)bias) << 23 | m << (23 - digits) : (uint32_t)(128 - bias - digits) << 23;
    float v;
    memcpy(&v, &u, 4);
    if (!e) v *= (float)m;
    if (code > most) v = digits == 2 && m == 0 ? INFINITY : NAN; // e4m3 has no infinity
    return b & 0x80u ? -v : v;
}

//@ td_f8e4m3 td_f8e5m2
// 8-bit floats: to nearest even, and saturating, infinities too; NaN is 0x7f. A float16 holds every one of them.
#define TD_FLOAT8(T, format, digits, bias, most)                                                               \
    struct T { uint8_t bits; };                                                                                \
    template <> struct td_arith_of<T> { typedef float type; };                                                 \
    TD_FLOAT8_CODES(T, format, digits, bias, most)                                                             \
    __device__ __forceinline__ uint32_t td_bits(float v, T) { return td_pair(v, 0.0f, T()) & 0xffu; }
#if __CUDA_ARCH__ >= 890
#define TD_FLOAT8_CODES(T, format, digits, bias, most)                                                         \
    __device__ __forceinline__ float td_of_bits(uint32_t b, T) {                                               \
        uint32_t h;                                                                                            \
        asm("cvt.rn.f16x2." format "x2 %0, %1;" : "=r"(h) : "h"((unsigned short)(b & 0xffu)));                 \
        return td_of_bits(h, td_f16());                                                                        \
    }                                                                                                          \
    __device__ __forceinline__ uint32_t td_pair(float a, float b, T) {                                         \
        unsigned short r;                                                                                      \
        asm("cvt.rn.satfinite." format "x2.f32 %0, %1, %2;" : "=h"(r) : "f"(b), "f"(a));                       \
        return r;                                                                                              \
    }
#else
#define TD_FLOAT8_CODES(T, format, digits, bias, most)                                                         \
    __device__ __forceinline__ float td_of_bits(uint32_t b, T) { return td_f8_value(b, digits, bias, most); }  \
    __device__ __forceinline__ uint32_t td_pair(float a, float b, T) {                                         \
        return td_f8_code(a, digits, bias, most) | td_f8_code(b, digits, bias, most) << 8;                     \
    }
#endif
TD_FLOAT8(td_f8e4m3, "e4m3", 3, 7, 0x7eu)
TD_FLOAT8(td_f8e5m2, "e5m2", 2, 15, 0x7bu)

//@ td_i4 td_u4
// Two to a byte, the low half first.
struct td_i4 { uint8_t pair; };
struct td_u4 { uint8_t pair; };
template <> struct td_width_of<td_i4> { static constexpr int bits = 4; };
template <> struct td_width_of<td_u4> { static constexpr int bits = 4; };
template <> struct td_arith_of<td_i4> { typedef int32_t type; };
template <> struct td_arith_of<td_u4> { typedef int32_t type; };
__device__ __forceinline__ int td_of_bits(uint32_t b, td_i4) { return (int)(b << 28) >> 28; }
__device__ __forceinline__ int td_of_bits(uint32_t b, td_u4) { return (int)(b & 15u); }
__device__ __forceinline__ uint32_t td_bits(int v, td_i4) { return (uint32_t)v & 15u; }
__device__ __forceinline__ uint32_t td_bits(int v, td_u4) { return (uint32_t)v & 15u; }

//@ td_bits td_of_bits
// The bits of one element below 32 bits, and back.
__device__ __forceinline__ int td_of_bits(uint32_t b, int16_t) { return (int16_t)b; }
__device__ __forceinline__ int td_of_bits(uint32_t b, uint16_t) { return (int)(b & 0xffffu); }
__device__ __forceinline__ int td_of_bits(uint32_t b, int8_t) { return (int8_t)b; }
__device__ __forceinline__ int td_of_bits(uint32_t b, uint8_t) { return (int)(b & 0xffu); }
__device__ __forceinline__ bool td_of_bits(uint32_t b, bool) { return (b & 0xffu) != 0; }
__device__ __forceinline__ uint32_t td_bits(int v, int16_t) { return (uint16_t)v; }
__device__ __forceinline__ uint32_t td_bits(int v, uint16_t) { return (uint16_t)v; }
__device__ __forceinline__ uint32_t td_bits(int v, int8_t) { return (uint8_t)v; }
__device__ __forceinline__ uint32_t td_bits(int v, uint8_t) { return (uint8_t)v; }
__device__ __forceinline__ uint32_t td_bits(bool v, bool) { return v ? 1u : 0u; }

//@ td_get
template <class T> __device__ __forceinline__ td_arith<T> td_get(const td_word<T> *w, int i) {
    if constexpr (sizeof(T) >= 4) return w[i];
    else if constexpr (std::is_same<T, td_bf16>::value) return __uint_as_float(i & 1 ? w[i >> 1] & 0xffff0000u : w[i >> 1] << 16);
    else if constexpr (sizeof(T) == 2) return td_of_bits(i & 1 ? w[i >> 1] >> 16 : w[i >> 1] & 0xffffu, T());
    else {
        constexpr int width = td_width<T>, per = 32 / width;
        return td_of_bits(w[i / per] >> (width * (i % per)), T());
    }
}

//@ td_put
template <class T> __device__ __forceinline__ void td_put(td_word<T> *w, int i, td_arith<T> v) {
    if constexpr (sizeof(T) >= 4) w[i] = v;
    else if constexpr (sizeof(T) == 2)
        w[i >> 1] = i & 1 ? (w[i >> 1] & 0xffffu) | td_bits(v, T()) << 16 : (w[i >> 1] & 0xffff0000u) | td_bits(v, T());
    else {
        constexpr int width = td_width<T>, per = 32 / width;
        w[i / per] = (w[i / per] & ~(((1u << width) - 1) << (width * (i % per)))) | td_bits(v, T()) << (width * (i % per));
    }
}

//@ portable td_move
// Element j of words b to element i of words w, as it is.
template <class T> __device__ __forceinline__ void td_move(td_word<T> *w, int i, const td_word<T> *b, int j) {
    if constexpr (sizeof(T) >= 4) w[i] = b[j];
    else {
        constexpr int bits = td_width<T>, per = 32 / bits;
        constexpr uint32_t mask = (1u << bits) - 1;
        const uint32_t v = b[j / per] >> (bits * (j % per)) & mask;
        w[i / per] = (w[i / per] & ~(mask << (bits * (i % per)))) | v << (bits * (i % per));
    }
}

//@ portable td_keep
// The compiler forgets what it knows of the words, so that it converts them again instead of keeping what it converted.
template <class T, int V> __device__ __forceinline__ void td_keep(td_word<T> *w) {
    if constexpr (sizeof(T) < 4) {
#pragma unroll
        for (int i = 0; i < td_words<T>(V); i++) asm volatile("" : "+r"(w[i]));
    }
}

//@ td_pack
template <class T, int V> __device__ __forceinline__ void td_pack(td_word<T> *w, const td_arith<T> *v) {
    if constexpr (sizeof(T) >= 4) {
#pragma unroll
        for (int i = 0; i < V; i++) w[i] = v[i];
    } else {
        constexpr int width = td_width<T>, per = 32 / width;
#pragma unroll
        for (int k = 0; k < td_words<T>(V); k++) {
            if constexpr (std::is_same<T, td_f16>::value || std::is_same<T, td_bf16>::value) {
                w[k] = k * 2 + 1 < V ? td_pair(v[k * 2], v[k * 2 + 1 < V ? k * 2 + 1 : 0], T()) : td_bits(v[k * 2], T());
            } else if constexpr (width == 8 && std::is_same<td_arith<T>, float>::value) {
                w[k] = 0;
#pragma unroll
                for (int i = k * per; i < V && i < k * per + per; i += 2)
                    w[k] |= (i + 1 < V ? td_pair(v[i], v[i + 1 < V ? i + 1 : 0], T()) : td_bits(v[i], T())) << (8 * (i % per));
            } else {
                uint32_t b = 0;
#pragma unroll
                for (int j = 0; j < per; j++)
                    if (k * per + j < V) b |= td_bits(v[k * per + j], T()) << (width * j);
                w[k] = b;
            }
        }
    }
}

//@ td_round
template <class T> __device__ __forceinline__ td_arith<T> td_round(td_arith<T> v) {
    if constexpr (sizeof(T) >= 4) return v;
    else return td_of_bits(td_bits(v, T()), T());
}
