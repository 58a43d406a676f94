// The prelude: what emitted kernels call beyond plain C++ (ARCHITECTURE.md, "The prelude", says what each name means).
// An entry starts at a line "//@ names". An emitted file gets the entries whose names it uses, and those that they use.
// "//@ portable names" are written in terms of the others and serve the CPU stand-in as they are; it has its own
// bodies for the rest.

//@ td_width
// Bits of an element.
template <class T> constexpr int td_width = 8 * (int)sizeof(T);

//@ td_word td_words
template <class T, bool small = (sizeof(T) < 4)> struct td_word_of { typedef T type; };
template <class T> struct td_word_of<T, true> { typedef uint32_t type; };
template <class T> using td_word = typename td_word_of<T>::type;
template <class T> __host__ __device__ constexpr int td_words(int n) { return sizeof(T) < 4 ? (n * td_width<T> + 31) / 32 : n; }

//@ td_arith
template <class T> struct td_arith_of { typedef T type; };
template <> struct td_arith_of<__half> { typedef float type; };
template <> struct td_arith_of<__nv_bfloat16> { typedef float type; };
template <> struct td_arith_of<int8_t> { typedef int32_t type; };
template <> struct td_arith_of<int16_t> { typedef int32_t type; };
template <> struct td_arith_of<uint8_t> { typedef int32_t type; };
template <> struct td_arith_of<uint16_t> { typedef int32_t type; };
template <class T> using td_arith = typename td_arith_of<T>::type;

//@ td_f8e4m3 td_f8e5m2
// 8-bit floats: to nearest even, and saturating, infinities too; NaN is 0x7f. A float16 holds every one of them.
#define TD_FLOAT8(T, format)                                                                                   \
    struct T { uint8_t bits; };                                                                                \
    template <> struct td_arith_of<T> { typedef float type; };                                                 \
    __device__ __forceinline__ float td_of_bits(uint32_t b, T) {                                               \
        uint32_t h;                                                                                            \
        asm("cvt.rn.f16x2." format "x2 %0, %1;" : "=r"(h) : "h"((unsigned short)(b & 0xffu)));                 \
        return __half2float(__ushort_as_half((unsigned short)h));                                              \
    }                                                                                                          \
    __device__ __forceinline__ uint32_t td_pair(float a, float b, T) {                                         \
        unsigned short r;                                                                                      \
        asm("cvt.rn.satfinite." format "x2.f32 %0, %1, %2;" : "=h"(r) : "f"(b), "f"(a));                       \
        return r;                                                                                              \
    }                                                                                                          \
    __device__ __forceinline__ uint32_t td_bits(float v, T) { return td_pair(v, 0.0f, T()) & 0xffu; }
TD_FLOAT8(td_f8e4m3, "e4m3")
TD_FLOAT8(td_f8e5m2, "e5m2")

//@ td_i4 td_u4
// Two to a byte, the low half first.
struct td_i4 { uint8_t pair; };
struct td_u4 { uint8_t pair; };
template <> constexpr int td_width<td_i4> = 4;
template <> constexpr int td_width<td_u4> = 4;
template <> struct td_arith_of<td_i4> { typedef int32_t type; };
template <> struct td_arith_of<td_u4> { typedef int32_t type; };
__device__ __forceinline__ int td_of_bits(uint32_t b, td_i4) { return (int)(b << 28) >> 28; }
__device__ __forceinline__ int td_of_bits(uint32_t b, td_u4) { return (int)(b & 15u); }
__device__ __forceinline__ uint32_t td_bits(int v, td_i4) { return (uint32_t)v & 15u; }
__device__ __forceinline__ uint32_t td_bits(int v, td_u4) { return (uint32_t)v & 15u; }

//@ td_bits td_of_bits
// The bits of one element below 32 bits, and back.
__device__ __forceinline__ float td_of_bits(uint32_t b, __nv_bfloat16) { return __uint_as_float(b << 16); }
__device__ __forceinline__ float td_of_bits(uint32_t b, __half) { return __half2float(__ushort_as_half((unsigned short)b)); }
__device__ __forceinline__ int td_of_bits(uint32_t b, int16_t) { return (int16_t)b; }
__device__ __forceinline__ int td_of_bits(uint32_t b, uint16_t) { return (int)(b & 0xffffu); }
__device__ __forceinline__ int td_of_bits(uint32_t b, int8_t) { return (int8_t)b; }
__device__ __forceinline__ int td_of_bits(uint32_t b, uint8_t) { return (int)(b & 0xffu); }
__device__ __forceinline__ bool td_of_bits(uint32_t b, bool) { return (b & 0xffu) != 0; }
__device__ __forceinline__ uint32_t td_bits(float v, __nv_bfloat16) { return __bfloat16_as_ushort(__float2bfloat16_rn(v)); }
__device__ __forceinline__ uint32_t td_bits(float v, __half) { return __half_as_ushort(__float2half_rn(v)); }
__device__ __forceinline__ uint32_t td_bits(int v, int16_t) { return (uint16_t)v; }
__device__ __forceinline__ uint32_t td_bits(int v, uint16_t) { return (uint16_t)v; }
__device__ __forceinline__ uint32_t td_bits(int v, int8_t) { return (uint8_t)v; }
__device__ __forceinline__ uint32_t td_bits(int v, uint8_t) { return (uint8_t)v; }
__device__ __forceinline__ uint32_t td_bits(bool v, bool) { return v ? 1u : 0u; }

//@ td_get
template <class T> __device__ __forceinline__ td_arith<T> td_get(const td_word<T> *w, int i) {
    if constexpr (sizeof(T) >= 4) return w[i];
    else if constexpr (std::is_same<T, __nv_bfloat16>::value) return __uint_as_float(i & 1 ? w[i >> 1] & 0xffff0000u : w[i >> 1] << 16);
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

//@ td_pair
__device__ __forceinline__ uint32_t td_pair(float a, float b, __nv_bfloat16) {
    uint32_t r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a));
    return r;
}
__device__ __forceinline__ uint32_t td_pair(float a, float b, __half) {
    uint32_t r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a));
    return r;
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
            if constexpr (std::is_same<T, __half>::value || std::is_same<T, __nv_bfloat16>::value) {
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

//@ td_access td_access_ld td_access_st
// One access of N bytes (1, 2, 4, 8 or 16). H: 0 plain, 1 streaming (evict first), 2 keep (evict last).
template <int N> struct td_access;
template <> struct td_access<1> { typedef uint8_t type; };
template <> struct td_access<2> { typedef uint16_t type; };
template <> struct td_access<4> { typedef uint32_t type; };
template <> struct td_access<8> { typedef uint2 type; };
template <> struct td_access<16> { typedef uint4 type; };
template <int N, int H> __device__ __forceinline__ typename td_access<N>::type td_access_ld(const void *p) {
    typedef typename td_access<N>::type U;
    if constexpr (H == 1 && N >= 4) return __ldcs((const U *)p);
    else if constexpr (H == 2 && N == 16) {
        U v;
        asm volatile("ld.global.L1::evict_last.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
        return v;
    } else return *(const U *)p;
}
template <int N, int H> __device__ __forceinline__ void td_access_st(void *p, typename td_access<N>::type v) {
    typedef typename td_access<N>::type U;
    if constexpr (H == 1 && N >= 4) __stcs((U *)p, v);
    else *(U *)p = v;
}

//@ td_ld
template <class T, int V, int H> __device__ __forceinline__ void td_ld(td_word<T> *w, const T *p) {
    constexpr int bytes = V * (int)sizeof(T), n = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : (int)sizeof(T);
#pragma unroll
    for (int i = 0; i < bytes / n; i++) {
        const auto v = td_access_ld<n, H>((const char *)p + i * n);
        if constexpr (n < 4) {
            if (i * n % 4 == 0) w[i * n / 4] = (td_word<T>)v;
            else w[i * n / 4] |= (td_word<T>)((uint32_t)v << (8 * (i * n % 4)));
        } else memcpy((char *)w + i * n, &v, (size_t)n);
    }
}

//@ td_st
template <class T, int V, int H> __device__ __forceinline__ void td_st(T *p, const td_word<T> *w) {
    constexpr int bytes = V * (int)sizeof(T), n = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : (int)sizeof(T);
#pragma unroll
    for (int i = 0; i < bytes / n; i++) {
        typename td_access<n>::type v;
        if constexpr (n < 4) v = (typename td_access<n>::type)(((const uint32_t *)w)[i * n / 4] >> (8 * (i * n % 4)));
        else memcpy(&v, (const char *)w + i * n, (size_t)n);
        td_access_st<n, H>((char *)p + i * n, v);
    }
}

//@ td_undef
template <class T, int V> __device__ __forceinline__ void td_undef(td_word<T> *w) {
#pragma unroll
    for (int i = 0; i < td_words<T>(V); i++) w[i] = td_word<T>();
}

//@ td_ld_each
template <class T, int V, int H> __device__ __forceinline__ void td_ld_each(td_word<T> *w, const T *p, int64_t lo, int64_t hi) {
#pragma unroll
    for (int e = 0; e < V; e++) {
        td_word<T> b[1] = {td_word<T>()};
        if (lo <= e && e < hi) td_ld<T, 1, H>(b, p + e);
        if constexpr (sizeof(T) >= 4) w[e] = b[0];
        else if (e * sizeof(T) % 4 == 0) w[e * sizeof(T) / 4] = b[0];
        else w[e * sizeof(T) / 4] |= b[0] << (8 * (e * sizeof(T) % 4));
    }
}

//@ td_st_each
template <class T, int V, int H> __device__ __forceinline__ void td_st_each(T *p, const td_word<T> *w, int64_t lo, int64_t hi) {
#pragma unroll
    for (int e = 0; e < V; e++)
        if (lo <= e && e < hi) {
            td_word<T> b[1];
            if constexpr (sizeof(T) >= 4) b[0] = w[e];
            else b[0] = w[e * sizeof(T) / 4] >> (8 * (e * sizeof(T) % 4));
            td_st<T, 1, H>(p + e, b);
        }
}

//@ portable td_load
// A: accesses are aligned.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load(td_word<T> *w, const T *p) {
    if constexpr (A) td_ld<T, V, H>(w, p);
    else td_ld_each<T, V, H>(w, p, 0, V);
}
//@ portable td_load_v
// Elements e < n; n is a multiple of V where A.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load_v(td_word<T> *w, const T *p, int64_t n) {
    if constexpr (!A) td_ld_each<T, V, H>(w, p, 0, n);
    else if (n > 0) td_ld<T, V, H>(w, p);
    else td_undef<T, V>(w);
}
//@ portable td_load_n
// Elements lo <= e < hi.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load_n(td_word<T> *w, const T *p, int64_t lo, int64_t hi) {
    if (A && lo <= 0 && hi >= V) td_ld<T, V, H>(w, p);
    else if (lo < V && hi > 0) td_ld_each<T, V, H>(w, p, lo, hi);
    else td_undef<T, V>(w);
}

//@ portable td_store
// A: accesses are aligned.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store(T *p, const td_word<T> *w) {
    if constexpr (A) td_st<T, V, H>(p, w);
    else td_st_each<T, V, H>(p, w, 0, V);
}
//@ portable td_store_v
// Elements e < n; n is a multiple of V where A.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store_v(T *p, const td_word<T> *w, int64_t n) {
    if constexpr (!A) td_st_each<T, V, H>(p, w, 0, n);
    else if (n > 0) td_st<T, V, H>(p, w);
}
//@ portable td_store_n
// Elements lo <= e < hi.
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store_n(T *p, const td_word<T> *w, int64_t lo, int64_t hi) {
    if (A && lo <= 0 && hi >= V) td_st<T, V, H>(p, w);
    else if (lo < V && hi > 0) td_st_each<T, V, H>(p, w, lo, hi);
}

//@ td_half_ld td_half_st
// Element i of 4-bit elements at p. A store must not lose the other half of its byte, which may be another thread's: this half, which
// no other thread changes, is exchanged by an atomic operation that leaves the others of its word as they are.
__device__ __forceinline__ uint32_t td_half_ld(const uint8_t *p, int64_t i) { return (uint32_t)p[i >> 1] >> (4 * (i & 1)) & 15u; }
__device__ __forceinline__ void td_half_st(uint8_t *p, int64_t i, uint32_t v) {
    p += i >> 1;
    uint32_t *word = (uint32_t *)((uintptr_t)p & ~(uintptr_t)3);
    const int at = 8 * (int)((uintptr_t)p & 3) + 4 * (int)(i & 1);
    atomicXor(word, ((__ldcg(word) >> at ^ v) & 15u) << at);
}

//@ portable td_half
// Where a 4-bit element lies, and accesses as those above: whole vectors as bytes, others by the element.
template <class T> struct td_half_at {
    T *p;
    int64_t i;
};
template <class T> __device__ __forceinline__ td_half_at<T> td_half(T *p) { return {p, 0}; }
template <class T> __device__ __forceinline__ td_half_at<T> operator+(td_half_at<T> a, int64_t n) { return {a.p, a.i + n}; }
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load_n(td_word<T> *w, td_half_at<const T> at, int64_t lo, int64_t hi) {
    if constexpr (A && V % 2 == 0) {
        if (lo <= 0 && hi >= V) {
            td_ld<uint8_t, V / 2, H>(w, (const uint8_t *)at.p + (at.i >> 1));
            return;
        }
    }
    td_undef<T, V>(w);
#pragma unroll
    for (int e = 0; e < V; e++) {
        const uint32_t b[1] = {lo <= e && e < hi ? td_half_ld((const uint8_t *)at.p, at.i + e) : 0u};
        td_move<T>(w, e, b, 0);
    }
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load(td_word<T> *w, td_half_at<const T> at) {
    td_load_n<A, T, V, H>(w, at, 0, V);
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_load_v(td_word<T> *w, td_half_at<const T> at, int64_t n) {
    td_load_n<A, T, V, H>(w, at, 0, n);
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store_n(td_half_at<T> at, const td_word<T> *w, int64_t lo, int64_t hi) {
    if constexpr (A && V % 2 == 0) {
        if (lo <= 0 && hi >= V) {
            td_st<uint8_t, V / 2, H>((uint8_t *)at.p + (at.i >> 1), w);
            return;
        }
    }
#pragma unroll
    for (int e = 0; e < V; e++)
        if (lo <= e && e < hi) td_half_st((uint8_t *)at.p, at.i + e, w[e / 8] >> (4 * (e % 8)) & 15u);
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store(td_half_at<T> at, const td_word<T> *w) {
    td_store_n<A, T, V, H>(at, w, 0, V);
}
template <int A, class T, int V, int H> __device__ __forceinline__ void td_store_v(td_half_at<T> at, const td_word<T> *w, int64_t n) {
    td_store_n<A, T, V, H>(at, w, 0, n);
}

//@ td_tid
__device__ __forceinline__ int td_tid() { return (int)threadIdx.x; }
//@ td_block
__device__ __forceinline__ int td_block() { return (int)blockIdx.x; }
//@ td_cluster_rank
__device__ __forceinline__ int td_cluster_rank() {
    uint32_t r;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return (int)r;
}

//@ td_sp td_shared
template <class T> using td_sp = T *;
template <class T> __device__ __forceinline__ T *td_shared(int byte_offset) {
    extern __shared__ __align__(1024) unsigned char td_dynamic[];
    return (T *)(td_dynamic + byte_offset);
}
//@ td_lds
template <class T, int V> __device__ __forceinline__ void td_lds(td_word<T> *w, const T *p) { td_ld<T, V, 0>(w, p); }
//@ td_sts
template <class T, int V> __device__ __forceinline__ void td_sts(T *p, const td_word<T> *w) { td_st<T, V, 0>(p, w); }
//@ td_address
__device__ __forceinline__ uint32_t td_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
//@ td_cluster_sts
template <class T, int V> __device__ __forceinline__ void td_cluster_sts(T *p, int rank, const td_word<T> *w) {
    static_assert(sizeof(T) >= 4, "whole words");
    uint32_t a;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(td_address(p)), "r"(rank));
#pragma unroll
    for (int i = 0; i < V; i++) {
        if constexpr (sizeof(T) == 8) {
            unsigned long long b;
            memcpy(&b, &w[i], 8);
            asm volatile("st.shared::cluster.b64 [%0], %1;" ::"r"(a + 8 * i), "l"(b) : "memory");
        } else {
            uint32_t b;
            memcpy(&b, &w[i], 4);
            asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(a + 4 * i), "r"(b) : "memory");
        }
    }
}

//@ td_cluster_send
// One value to block `rank` of the cluster, asynchronously; completes its bytes on the mbarrier there.
template <class T> __device__ __forceinline__ void td_cluster_send(T *p, int rank, T v, uint64_t *bar) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a word or two");
    uint32_t a, b;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(td_address(p)), "r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(b) : "r"(td_address(bar)), "r"(rank));
    if constexpr (sizeof(T) == 8) {
        unsigned long long w;
        memcpy(&w, &v, 8);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(a), "l"(w), "r"(b) : "memory");
    } else {
        uint32_t w;
        memcpy(&w, &v, 4);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(a), "r"(w), "r"(b) : "memory");
    }
}

//@ td_shfl_xor
template <class T> __device__ __forceinline__ T td_shfl_xor(T v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
//@ td_shfl_up
template <class T> __device__ __forceinline__ T td_shfl_up(T v, int d) { return __shfl_up_sync(0xffffffffu, v, (unsigned)d); }
//@ td_shfl_down
template <class T> __device__ __forceinline__ T td_shfl_down(T v, int d) { return __shfl_down_sync(0xffffffffu, v, (unsigned)d); }
//@ td_shfl_idx
template <class T> __device__ __forceinline__ T td_shfl_idx(T v, int lane) { return __shfl_sync(0xffffffffu, v, lane); }
//@ td_sync
__device__ __forceinline__ void td_sync() { __syncthreads(); }
//@ td_syncwarp
__device__ __forceinline__ void td_syncwarp() { __syncwarp(); }
//@ td_cluster_sync
__device__ __forceinline__ void td_cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

//@ td_cp_async
template <class T, int V> __device__ __forceinline__ void td_cp_async(T *s, const T *p) {
    static_assert(V * sizeof(T) == 16, "16 bytes");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(td_address(s)), "l"(p) : "memory");
}
//@ td_cp_commit
__device__ __forceinline__ void td_cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
//@ td_cp_wait
template <int N> __device__ __forceinline__ void td_cp_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
//@ td_mbar_init
__device__ __forceinline__ void td_mbar_init(uint64_t *b, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(td_address(b)), "r"(count) : "memory");
}
//@ td_mbar_fence
__device__ __forceinline__ void td_mbar_fence() {
    asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::: "memory");
}
//@ td_mbar_arrive
__device__ __forceinline__ void td_mbar_arrive(uint64_t *b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(td_address(b)) : "memory");
}
//@ td_mbar_expect
__device__ __forceinline__ void td_mbar_expect(uint64_t *b, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(td_address(b)), "r"(bytes) : "memory");
}
//@ td_mbar_wait
__device__ __forceinline__ void td_mbar_wait(uint64_t *b, int parity) {
    uint32_t done;
    do {
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(td_address(b)), "r"(parity)
                     : "memory");
    } while (!done);
}
//@ td_bulk_load
__device__ __forceinline__ void td_bulk_load(void *s, const void *p, int bytes, uint64_t *mbar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(td_address(s)), "l"(p),
                 "r"(bytes), "r"(td_address(mbar))
                 : "memory");
}
//@ td_bulk_store
__device__ __forceinline__ void td_bulk_store(void *p, const void *s, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(p), "r"(td_address(s)), "r"(bytes) : "memory");
}
//@ td_bulk_commit
__device__ __forceinline__ void td_bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
//@ td_bulk_wait_read
template <int N> __device__ __forceinline__ void td_bulk_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
//@ td_bulk_wait
template <int N> __device__ __forceinline__ void td_bulk_wait() { asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory"); }
//@ td_async_fence
__device__ __forceinline__ void td_async_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
//@ portable td_swizzle
// Where element col of a row lies in a tile of rows of W elements whose pieces of E elements are exchanged by row / E.
template <int E, int W> __device__ __forceinline__ int td_swizzle(int row, int col) {
    return row * W + ((col / E) ^ (row / E % (W / E))) * E + col % E;
}

//@ portable td_fill_whole
// One warp brings n elements, whole 16-byte pieces, to as many pieces of shared memory and arrives at `full` once: by a bulk copy where p
// is aligned too, else element by element. For rows of which all are aligned or none.
template <class T> __device__ __forceinline__ void td_fill_whole(td_sp<T> s, const T *p, int n, td_sp<uint64_t> full) {
    const int lane = td_tid() % 32;
    const bool bulk = n > 0 && (uintptr_t)p % 16 == 0;
    for (int i = lane; !bulk && i < n; i += 32) {
        td_word<T> w[1] = {td_word<T>()};
        td_ld<T, 1, 0>(w, p + i);
        td_sts<T, 1>(s + i, w);
    }
    td_syncwarp();
    if (lane == 0) {
        td_mbar_expect(full, bulk ? n * (int)sizeof(T) : 0);
        if (bulk) td_bulk_load(s, p, n * (int)sizeof(T), full);
    }
}

//@ portable td_fill_row
// One warp brings n elements to shared memory and arrives at `full` once: whole 16-byte pieces by a bulk copy, the rest (all, where the
// two addresses differ modulo 16) element by element. PAD: what is left of the first and last piece is cleared.
template <class T, int PAD> __device__ __forceinline__ void td_fill_row(td_sp<T> s, const T *p, int n, td_sp<uint64_t> full) {
    constexpr int per = 16 / (int)sizeof(T);
    const int lane = td_tid() % 32, at = (int)((uintptr_t)p / sizeof(T) % per), low = td_shared_index(s) % per;
    int head = at == low ? (per - at) % per : n;
    if (head > n) head = n;
    const int body = n > head ? (n - head) / per * per : 0;
    for (int i = lane; i < n - body; i += 32) {
        const int e = i < head ? i : i + body;
        td_word<T> w[1] = {td_word<T>()};
        td_ld<T, 1, 0>(w, p + e);
        td_sts<T, 1>(s + e, w);
    }
    if (PAD && n > 0 && lane < per) {
        const td_word<T> zero[1] = {td_word<T>()};
        if (lane < low) td_sts<T, 1>(s + (lane - low), zero);
        if ((n + low) % per && lane >= (n + low) % per) td_sts<T, 1>(s + (n - (n + low) % per + lane), zero);
    }
    if (body < n) td_async_fence(); // before a later bulk copy to where these elements are
    td_syncwarp();
    if (lane == 0) {
        td_mbar_expect(full, body * (int)sizeof(T));
        if (body > 0) td_bulk_load(s + head, p + head, body * (int)sizeof(T), full);
    }
}

//@ portable td_fill_piece
// A vector of V elements to shared memory: asynchronously where it is 16 bytes, aligned (A) and whole; else its elements
// lo <= e < hi one by one, and zeros for the others.
template <int A, class T, int V> __device__ __forceinline__ void td_fill_piece(td_sp<T> s, const T *p, int64_t lo, int64_t hi) {
    if constexpr (A && V * sizeof(T) == 16) {
        if (lo <= 0 && hi >= V) {
            td_cp_async<T, V>(s, p);
            return;
        }
    }
#pragma unroll
    for (int e = 0; e < V; e++) {
        td_word<T> w[1] = {td_word<T>()};
        if (lo <= e && e < hi) td_ld<T, 1, 0>(w, p + e);
        td_sts<T, 1>(s + e, w);
    }
}

//@ portable td_drain_row
// One warp sends n elements of shared memory off: whole 16-byte pieces by a bulk store of its first lane, which commits it later; the
// rest (all, where the two addresses differ modulo 16) element by element.
template <class T> __device__ __forceinline__ void td_drain_row(T *p, td_sp<T> s, int n) {
    constexpr int per = 16 / (int)sizeof(T);
    const int lane = td_tid() % 32, at = (int)((uintptr_t)p / sizeof(T) % per), low = td_shared_index(s) % per;
    int head = at == low ? (per - at) % per : n;
    if (head > n) head = n;
    const int body = n > head ? (n - head) / per * per : 0;
    for (int i = lane; i < n - body; i += 32) {
        const int e = i < head ? i : i + body;
        td_word<T> w[1];
        td_lds<T, 1>(w, s + e);
        td_st<T, 1, 0>(p + e, w);
    }
    if (lane == 0 && body > 0) td_bulk_store(p + head, s + head, body * (int)sizeof(T));
}

//@ td_shared_index
// The number of the element in the block's shared memory.
template <class T> __device__ __forceinline__ int td_shared_index(const T *s) { return (int)(td_address(s) / sizeof(T)); }

//@ td_pdl_wait
__device__ __forceinline__ void td_pdl_wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
//@ td_pdl_launch
__device__ __forceinline__ void td_pdl_launch() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

//@ td_last_block
__device__ __forceinline__ bool td_last_block(int *counter, int total) {
    __shared__ int last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(counter, 1) == total - 1;
        if (last) *counter = 0;
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
}
//@ td_atomic_add
template <class T> __device__ __forceinline__ void td_atomic_add(T *p, T v) { atomicAdd(p, v); }
__device__ __forceinline__ void td_atomic_add(int64_t *p, int64_t v) { atomicAdd((unsigned long long *)p, (unsigned long long)v); }
//@ td_max
// NaN wins; of zeros the positive one.
template <class T> __device__ __forceinline__ T td_max(T a, T b) { return a > b ? a : b; }
__device__ __forceinline__ double td_max(double a, double b) {
    if (a != a || a > b) return a;
    if (b != b || a < b) return b;
    return __longlong_as_double(__double_as_longlong(a) & __double_as_longlong(b));
}
__device__ __forceinline__ float td_max(float a, float b) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}
//@ td_min
// NaN wins; of zeros the negative one.
template <class T> __device__ __forceinline__ T td_min(T a, T b) { return a < b ? a : b; }
__device__ __forceinline__ double td_min(double a, double b) {
    if (a != a || a < b) return a;
    if (b != b || a > b) return b;
    return __longlong_as_double(__double_as_longlong(a) | __double_as_longlong(b));
}
__device__ __forceinline__ float td_min(float a, float b) {
    float r;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}
//@ td_atomic_float
// Floats have no atomic maximum of their own: *p becomes td_max or td_min of itself and v by exchanges.
template <bool MAX, class T> __device__ __forceinline__ void td_atomic_float(T *p, T v) {
    typedef typename std::conditional<sizeof(T) == 8, unsigned long long, unsigned>::type U;
    U old, next;
    T now;
    memcpy(&now, p, sizeof(T));
    memcpy(&old, &now, sizeof(T));
    while (true) {
        const T want = MAX ? td_max(now, v) : td_min(now, v);
        memcpy(&next, &want, sizeof(T));
        if (next == old) return;
        const U seen = atomicCAS((U *)p, old, next);
        if (seen == old) return;
        old = seen;
        memcpy(&now, &old, sizeof(T));
    }
}
//@ td_atomic_max
template <class T> __device__ __forceinline__ void td_atomic_max(T *p, T v) {
    if constexpr (std::is_floating_point<T>::value) td_atomic_float<true>(p, v);
    else if constexpr (sizeof(T) == 8) atomicMax((long long *)p, (long long)v);
    else atomicMax(p, v);
}
//@ td_atomic_min
template <class T> __device__ __forceinline__ void td_atomic_min(T *p, T v) {
    if constexpr (std::is_floating_point<T>::value) td_atomic_float<false>(p, v);
    else if constexpr (sizeof(T) == 8) atomicMin((long long *)p, (long long)v);
    else atomicMin(p, v);
}

//@ td_max2 td_min2
// Two packed 16-bit floats at once; NaN wins.
#define TD_PAIRWISE(name, op)                                                                                \
    template <class T> __device__ __forceinline__ uint32_t name(uint32_t a, uint32_t b) {                    \
        uint32_t r;                                                                                          \
        if constexpr (std::is_same<T, __half>::value) asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); \
        else asm(op ".bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                                       \
        return r;                                                                                            \
    }
TD_PAIRWISE(td_max2, "max.NaN")
TD_PAIRWISE(td_min2, "min.NaN")

//@ td_abs
__device__ __forceinline__ float td_abs(float x) { return fabsf(x); }
__device__ __forceinline__ double td_abs(double x) { return fabs(x); }
__device__ __forceinline__ int32_t td_abs(int32_t x) { return x < 0 ? (int32_t)(0u - (uint32_t)x) : x; }
__device__ __forceinline__ int64_t td_abs(int64_t x) { return x < 0 ? (int64_t)(0u - (uint64_t)x) : x; }
__device__ __forceinline__ uint32_t td_abs(uint32_t x) { return x; }
//@ td_sign
template <class T> __device__ __forceinline__ T td_sign(T x) {
    if constexpr (!std::is_signed<T>::value) return x > T(0) ? T(1) : T(0);
    else return x > T(0) ? T(1) : x < T(0) ? T(-1) : x != x ? x : T(0);
}

//@ TD_MATH
#define TD_MATH(name, f32, f64)                                               \
    __device__ __forceinline__ float name(float x) { return f32(x); }         \
    __device__ __forceinline__ double name(double x) { return f64(x); }
//@ td_floor
TD_MATH(td_floor, floorf, floor)
//@ td_ceil
TD_MATH(td_ceil, ceilf, ceil)
//@ td_round_even
TD_MATH(td_round_even, rintf, rint)
//@ td_trunc
TD_MATH(td_trunc, truncf, trunc)
//@ td_sqrt
TD_MATH(td_sqrt, sqrtf, sqrt)
//@ td_rsqrt
TD_MATH(td_rsqrt, rsqrtf, rsqrt)
//@ td_exp
TD_MATH(td_exp, expf, exp)
//@ td_exp2
TD_MATH(td_exp2, exp2f, exp2)
//@ td_expm1
TD_MATH(td_expm1, expm1f, expm1)
//@ td_log
TD_MATH(td_log, logf, log)
//@ td_log2
TD_MATH(td_log2, log2f, log2)
//@ td_log10
TD_MATH(td_log10, log10f, log10)
//@ td_log1p
TD_MATH(td_log1p, log1pf, log1p)
//@ td_sin
TD_MATH(td_sin, sinf, sin)
//@ td_cos
TD_MATH(td_cos, cosf, cos)
//@ td_tan
TD_MATH(td_tan, tanf, tan)
//@ td_asin
TD_MATH(td_asin, asinf, asin)
//@ td_acos
TD_MATH(td_acos, acosf, acos)
//@ td_atan
TD_MATH(td_atan, atanf, atan)
//@ td_sinh
TD_MATH(td_sinh, sinhf, sinh)
//@ td_cosh
TD_MATH(td_cosh, coshf, cosh)
//@ td_tanh
TD_MATH(td_tanh, tanhf, tanh)
//@ td_asinh
TD_MATH(td_asinh, asinhf, asinh)
//@ td_acosh
TD_MATH(td_acosh, acoshf, acosh)
//@ td_atanh
TD_MATH(td_atanh, atanhf, atanh)
//@ td_erf
TD_MATH(td_erf, erff, erf)
//@ td_erfc
TD_MATH(td_erfc, erfcf, erfc)
//@ td_lgamma
// Of f32 below 0 through f64: lgammaf loses all digits near the zeros there.
__device__ __forceinline__ float td_lgamma(float x) { return x < 0.0f ? (float)lgamma((double)x) : lgammaf(x); }
__device__ __forceinline__ double td_lgamma(double x) { return lgamma(x); }
//@ td_atan2
__device__ __forceinline__ float td_atan2(float y, float x) { return atan2f(y, x); }
__device__ __forceinline__ double td_atan2(double y, double x) { return atan2(y, x); }
//@ td_pow
__device__ __forceinline__ float td_pow(float x, float y) { return powf(x, y); }
__device__ __forceinline__ double td_pow(double x, double y) { return pow(x, y); }
//@ td_fma
__device__ __forceinline__ float td_fma(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double td_fma(double a, double b, double c) { return fma(a, b, c); }
//@ td_sigmoid
// e / (1 + e) of e = exp(-|x|), or 1 / (1 + e): nothing overflows, and a small result keeps its denormals.
__device__ __forceinline__ float td_sigmoid(float x) {
    const float e = expf(-fabsf(x));
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(1.0f + e));
    return (x >= 0.0f ? 1.0f : e) * r;
}
__device__ __forceinline__ double td_sigmoid(double x) {
    const double e = exp(-fabs(x));
    return (x >= 0.0 ? 1.0 : e) / (1.0 + e);
}
//@ td_fast_div
__device__ __forceinline__ float td_fast_div(float a, float b) { return __fdividef(a, b); }
//@ TD_FAST TD_FAST_ASM
// What `option math = fast` allows: one instruction of the special function unit, or two.
#define TD_FAST(name, f) \
    __device__ __forceinline__ float name(float x) { return f; }
#define TD_FAST_ASM(name, op)                                   \
    __device__ __forceinline__ float name(float x) {            \
        float r;                                                \
        asm(op ".approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));   \
        return r;                                               \
    }
//@ td_fast_sqrt
TD_FAST_ASM(td_fast_sqrt, "sqrt")
//@ td_fast_rsqrt
TD_FAST_ASM(td_fast_rsqrt, "rsqrt")
//@ td_fast_exp
TD_FAST(td_fast_exp, __expf(x))
//@ td_fast_exp2
TD_FAST_ASM(td_fast_exp2, "ex2")
//@ td_fast_log
TD_FAST(td_fast_log, __logf(x))
//@ td_fast_log2
TD_FAST(td_fast_log2, __log2f(x))
//@ td_fast_log10
TD_FAST(td_fast_log10, __log10f(x))
//@ td_fast_sin
TD_FAST(td_fast_sin, __sinf(x))
//@ td_fast_cos
TD_FAST(td_fast_cos, __cosf(x))
//@ td_fast_tan
TD_FAST(td_fast_tan, __tanf(x))
//@ td_fast_tanh
__device__ __forceinline__ float td_fast_tanh(float x) {
    float r;
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
//@ td_fast_sigmoid
__device__ __forceinline__ float td_fast_sigmoid(float x) {
    float r;
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(0.5f * x));
    return fmaf(r, 0.5f, 0.5f);
}
//@ td_fast_pow
__device__ __forceinline__ float td_fast_pow(float x, float y) { return __powf(x, y); }
//@ portable td_digamma
// Recurrence up to 12, then the asymptotic series in 1/x^2 (Abramowitz and Stegun 6.3.5, 6.3.18); reflection below 0 (6.3.7).
__device__ inline double td_digamma(double x) {
    double s = 0.0;
    if (x == 0.0) return copysign(INFINITY, -x);
    if (x < 0.0) {
        if (floor(x) == x) return NAN;
        s = -3.14159265358979323846 / tan(3.14159265358979323846 * (x - rint(x)));
        x = 1.0 - x;
    }
    for (; x < 12.0; x += 1.0) s -= 1.0 / x;
    const double q = 1.0 / (x * x);
    return s + (log(x) - 0.5 / x - q * (1.0 / 12 - q * (1.0 / 120 - q * (1.0 / 252 - q * (1.0 / 240 - q * (1.0 / 132 - q * (691.0 / 32760 - q / 12)))))));
}
__device__ inline float td_digamma(float x) { return (float)td_digamma((double)x); }
//@ portable td_random
// Philox4x32-10: key seed, counter (counter / 4, stream), word counter mod 4, of which the top 24 bits count. Calls whose
// counters share a quarter share the rounds.
struct td_philox {
    uint32_t w[4];
};
__device__ __forceinline__ td_philox td_philox_of(int64_t seed, int64_t stream, int64_t place) {
    uint32_t a = (uint32_t)place, b = (uint32_t)((uint64_t)place >> 32);
    uint32_t c = (uint32_t)stream, d = (uint32_t)((uint64_t)stream >> 32);
    uint32_t k = (uint32_t)seed, q = (uint32_t)((uint64_t)seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const uint64_t x = (uint64_t)a * 0xD2511F53u, y = (uint64_t)c * 0xCD9E8D57u;
        a = (uint32_t)(y >> 32) ^ b ^ k;
        b = (uint32_t)y;
        c = (uint32_t)(x >> 32) ^ d ^ q;
        d = (uint32_t)x;
        k += 0x9E3779B9u;
        q += 0xBB67AE85u;
    }
    return td_philox{{a, b, c, d}};
}
__device__ __forceinline__ float td_uniform(const td_philox &p, int64_t counter) {
    const int lane = (int)(counter & 3);
    const uint32_t w = lane & 2 ? (lane & 1 ? p.w[3] : p.w[2]) : (lane & 1 ? p.w[1] : p.w[0]);
    return (float)(w >> 8) * 0x1p-24f;
}
__device__ __forceinline__ float td_random(int64_t seed, int64_t stream, int64_t counter) {
    return td_uniform(td_philox_of(seed, stream, counter >> 2), counter);
}
// The same where a thread asks for one seed and stream again and again: neighbouring counters share the rounds, which
// alone would keep a kernel from the speed of memory. The branch is taken by whole warps where rows start alike.
struct td_philox_last {
    td_philox p;
    int64_t place;
    bool any = false;
};
__device__ __forceinline__ float td_random(td_philox_last &last, int64_t seed, int64_t stream, int64_t counter) {
    const int64_t place = counter >> 2;
    if (!last.any || last.place != place) {
        last.p = td_philox_of(seed, stream, place);
        last.place = place;
        last.any = true;
    }
    return td_uniform(last.p, counter);
}
//@ portable td_isnan
template <class T> __device__ __forceinline__ bool td_isnan(T x) { return x != x; }
//@ portable td_isinf
template <class T> __device__ __forceinline__ bool td_isinf(T x) { return x == T(INFINITY) || x == T(-INFINITY); }
//@ portable td_isfinite
template <class T> __device__ __forceinline__ bool td_isfinite(T x) { return x - x == T(0); }
//@ portable td_below
// 0 <= i < n by one comparison.
template <class A, class B> __device__ __forceinline__ bool td_below(A i, B n) {
    typedef typename std::make_unsigned<typename std::common_type<A, B>::type>::type U;
    return (U)i < (U)n;
}
//@ portable td_floor_div
// Toward minus infinity; by 0 it is 0, and the quotient of the least integer by -1 wraps.
template <class T> __host__ __device__ __forceinline__ T td_floor_div(T a, T b) {
    if (b == 0) return 0;
    if constexpr (!std::is_signed<T>::value) return a / b;
    else {
        if (b == -1) return (T)((typename std::make_unsigned<T>::type)0 - (typename std::make_unsigned<T>::type)a);
        const T q = a / b;
        return q - (T)(a % b != 0 && (a < 0) != (b < 0));
    }
}
//@ portable td_floor_mod
// The sign of b; by 0 it is 0.
template <class T> __host__ __device__ __forceinline__ T td_floor_mod(T a, T b) {
    if (b == 0 || b == T(-1)) return std::is_signed<T>::value || b == 0 ? T(0) : a % b;
    const T m = a % b;
    if constexpr (std::is_signed<T>::value) return m + (m != 0 && (m < 0) != (b < 0) ? b : T(0));
    else return m;
}
//@ portable td_quotient td_remainder
// The same of numbers that are not negative.
template <class T> __device__ __forceinline__ T td_quotient(T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    return b == 0 ? T(0) : (T)((U)a / (U)b);
}
template <class T> __device__ __forceinline__ T td_remainder(T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    return b == 0 ? T(0) : (T)((U)a % (U)b);
}
//@ portable td_mod
// Of floats: the remainder that goes with a quotient rounded toward minus infinity.
template <class T> __device__ __forceinline__ T td_mod(T a, T b) {
    const T m = fmod(a, b);
    return m == T(0) ? copysign(T(0), b) : (m < T(0)) != (b < T(0)) ? m + b : m;
}
//@ portable td_shl
// Shifts; a count outside the width shifts everything out.
template <class T> __device__ __forceinline__ T td_shl(T a, T n) {
    typedef typename std::make_unsigned<T>::type U;
    return (U)n < 8 * sizeof(T) ? (T)((U)a << (U)n) : T(0);
}
//@ portable td_shr
template <class T> __device__ __forceinline__ T td_shr(T a, T n) {
    typedef typename std::make_unsigned<T>::type U;
    if constexpr (std::is_signed<T>::value) return a >> ((U)n < 8 * sizeof(T) ? (int)n : 8 * (int)sizeof(T) - 1);
    else return (U)n < 8 * sizeof(T) ? a >> n : T(0);
}
//@ portable td_add td_sub td_mul
// Integers that wrap.
template <class T> __device__ __forceinline__ T td_add(T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    return (T)((U)a + (U)b);
}
template <class T> __device__ __forceinline__ T td_sub(T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    return (T)((U)a - (U)b);
}
template <class T> __device__ __forceinline__ T td_mul(T a, T b) {
    typedef typename std::make_unsigned<T>::type U;
    return (T)((U)a * (U)b);
}
//@ portable td_odd
// x as a float whose last bit says that something was lost: rounding that to at most 22 bits is rounding x once.
__device__ __forceinline__ float td_odd(double x) {
    const float f = (float)x;
    if ((double)f == x || x != x) return f;
    uint32_t u;
    memcpy(&u, &f, 4);
    if (fabs((double)f) > fabs(x)) u--;
    u |= 1u;
    float r;
    memcpy(&r, &u, 4);
    return r;
}
__device__ __forceinline__ float td_odd(int64_t x) {
    const uint64_t a = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    const double d = a >> 53 ? (double)(a >> 12 | (uint64_t)((a & 4095) != 0)) * 4096.0 : (double)a;
    return td_odd(x < 0 ? -d : d);
}
__device__ __forceinline__ float td_odd(int32_t x) { return td_odd((double)x); }
__device__ __forceinline__ float td_odd(uint32_t x) { return td_odd((double)x); }
//@ portable td_to_int
// A float to an integer type: truncates, saturates, NaN gives 0. lo and hi are the type's bounds.
template <class T, class F> __device__ __forceinline__ T td_to_int(F v, T lo, T hi) {
    return v != v ? T(0) : v <= (F)lo ? lo : v >= (F)hi ? hi : (T)v;
}

//@ td_launch
template <class Args>
static cudaError_t td_launch(void (*kernel)(const Args), const Args &args, long long grid, int threads, int cluster, size_t shared_bytes,
                             int chained, cudaStream_t stream) {
    if (grid == 0) return cudaSuccess;
    cudaLaunchAttribute at[2];
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3((unsigned)grid);
    c.blockDim = dim3((unsigned)threads);
    c.dynamicSmemBytes = shared_bytes;
    c.stream = stream;
    c.attrs = at;
    if (cluster > 1) {
        at[c.numAttrs].id = cudaLaunchAttributeClusterDimension;
        at[c.numAttrs].val.clusterDim.x = (unsigned)cluster;
        at[c.numAttrs].val.clusterDim.y = at[c.numAttrs].val.clusterDim.z = 1;
        c.numAttrs++;
    }
    if (chained) {
        at[c.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        at[c.numAttrs].val.programmaticStreamSerializationAllowed = 1;
        c.numAttrs++;
    }
    return cudaLaunchKernelEx(&c, kernel, args);
}
//@ td_prepare
template <class Args> static cudaError_t td_prepare(void (*kernel)(const Args), size_t shared_bytes, int cluster) {
    cudaError_t e = cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
    if (e == cudaSuccess && cluster > 8) e = cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    return e;
}
